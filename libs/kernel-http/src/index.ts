export { hasBody, isOtherThanJson } from './body-type.js';
export { describeProblem } from './describe-problem.js';
export { jsonBody } from './json-body.js';
export { ProblemException, problems } from './problem.exception.js';
export { ProblemFilter } from './problem.filter.js';
export { Problem } from './problem.js';
export { securityHeaders } from './security-headers.js';
