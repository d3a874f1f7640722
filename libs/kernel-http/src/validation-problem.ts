import { describeIssues, type FieldIssue, type IssueList, listIssues } from '@kernel/runtime';
import type { ProblemFacts } from './problem.js';

/**
 * Describes the invalid fields of a request. The list is capped: a response must not be larger than the request body.
 */
export function validationProblem(found: readonly FieldIssue[] | IssueList): ProblemFacts {
  const list = 'more' in found ? found : listIssues(found);
  return { code: 'validation-failed', status: 400, detail: describeIssues(list), errors: list.issues };
}
