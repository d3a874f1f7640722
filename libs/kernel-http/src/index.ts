/** Errors as problem documents, and HTTP helpers that hosts and the admin API share. */
export { ProblemFilter } from './problem.filter.js';
export { ProblemException, problems } from './problem.exception.js';
export { Problem } from './problem.js';
export { describeProblem } from './describe-problem.js';
export { hasBody, isOtherThanJson } from './body-type.js';
export { securityHeaders } from './security-headers.js';
