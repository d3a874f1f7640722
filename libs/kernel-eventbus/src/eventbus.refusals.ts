import { describeIssues, type FieldIssue, type IssueList, listIssues } from '@kernel/runtime';
import { EventBusError } from './eventbus.errors.js';

/** Stable codes of refused requests. The admin API answers each with its own status. */
export type RefusalCode =
  | 'VALIDATION_FAILED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'TOO_MANY_TESTS'
  | 'TOOK_TOO_LONG'
  | 'BUSY'
  | 'DATABASE_ROLES_MISSING';

export interface RefusalFacts {
  /** Invalid fields, for `VALIDATION_FAILED`. */
  list?: IssueList;
  /** Set if the same request may succeed later. */
  retryAfterSeconds?: number;
}

/** A request of a caller that was refused: it changed nothing. */
export class RequestRefusedError extends EventBusError {
  /** Invalid fields, the first 20. */
  readonly issues: FieldIssue[];
  /** Number of further issues. */
  readonly more: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: RefusalCode,
    message: string,
    { list, retryAfterSeconds }: RefusalFacts = {},
  ) {
    super(message);
    this.issues = list?.issues ?? [];
    this.more = list?.more ?? 0;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const refusals = {
  notFound: (what: string) => new RequestRefusedError('NOT_FOUND', `there is no such ${what}`),
  forbidden: (detail: string) => new RequestRefusedError('FORBIDDEN', detail),
  conflict: (detail: string) => new RequestRefusedError('CONFLICT', detail),
  tookTooLong: (detail: string) => new RequestRefusedError('TOOK_TOO_LONG', detail),
  tooManyTests: () =>
    new RequestRefusedError(
      'TOO_MANY_TESTS',
      'other test webhooks still wait for their receivers: try again when they have ended',
    ),
  invalid: (path: string, message: string) => invalidFields([{ path, message }]),
  invalidFields,
};

function invalidFields(found: readonly FieldIssue[] | IssueList): RequestRefusedError {
  const list = 'more' in found ? found : listIssues(found);
  return new RequestRefusedError('VALIDATION_FAILED', describeIssues(list), { list });
}
