import type { ProblemFacts } from './problem.js';

type FieldError = NonNullable<ProblemFacts['errors']>[number];

/** Limit of listed errors, which keeps the response short. */
const MAX_LISTED = 100;
const MAX_PATH_LENGTH = 200;

/**
 * Describes the invalid fields of a request. The list is capped: a response must not be larger than the request body.
 */
export function validationProblem(found: readonly FieldError[]): ProblemFacts {
  const errors = found.slice(0, MAX_LISTED).map(({ path, message }) => ({ path: shorten(path), message }));
  const told = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  if (found.length > MAX_LISTED) {
    told.push(`and ${found.length - MAX_LISTED} more`);
  }
  return { type: 'validation-failed', status: 400, detail: told.join('; '), errors };
}

/** Field names may come from the caller and be as long as a body. */
function shorten(path: string): string {
  return path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
}
