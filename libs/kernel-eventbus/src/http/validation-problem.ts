import type { ProblemFacts } from './problem.js';

type FieldError = NonNullable<ProblemFacts['errors']>[number];

/** Whoever has more wrong than this reads no longer list. */
const MAX_LISTED = 100;
const MAX_PATH_LENGTH = 200;

/** What is wrong with the fields of a request: the first of it where it is much, so that no body makes an answer longer than itself. */
export function validationProblem(found: readonly FieldError[]): ProblemFacts {
  const errors = found.slice(0, MAX_LISTED).map(({ path, message }) => ({ path: shorten(path), message }));
  const told = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  if (found.length > MAX_LISTED) {
    told.push(`and ${found.length - MAX_LISTED} more`);
  }
  return { type: 'validation-failed', status: 400, detail: told.join('; '), errors };
}

/** Names of fields may be the caller's, and as long as a body. */
function shorten(path: string): string {
  return path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
}
