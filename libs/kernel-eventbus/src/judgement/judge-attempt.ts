import type { OutgoingResult } from '@kernel/outgoing-http';
import { backoffMs, type BackoffPolicy, type BackoffStrategy } from './backoff.js';
import { retryAfterMs } from './retry-after.js';

export type Outcome =
  | { kind: 'delivered'; statusCode: number }
  | ({ kind: 'retry'; delayMs: number } & Failure)
  | ({ kind: 'dead-letter'; reason: DeadLetterReason } & Failure);

export type DeadLetterReason = 'attempts_exhausted' | 'permanent_failure' | 'endpoint_deleted' | 'poison';

/** Judges the result of an attempt. A host may replace it: `EventBusModule.forRoot({ judge })`. */
export type JudgeAttempt = (result: OutgoingResult, context: JudgeContext) => Outcome;

/** True if a failed attempt may succeed later; undefined: the classes of `judgeAttempt` decide. */
export type TransientDetection = (result: OutgoingResult) => boolean | undefined;

export interface Failure {
  errorClass: string;
  error: string;
  statusCode: number | null;
}

export interface JudgeContext {
  /** Number of the judged attempt, from 1. */
  attempt: number;
  retry: BackoffPolicy & {
    maxAttempts: number;
    maxRetryAfterMs: number;
    backoff?: BackoffStrategy;
    isTransient?: TransientDetection;
  };
  /** Jitter: at least 0, below 1. */
  fraction: number;
  now: Date;
}

/** Statuses after which a repeated request cannot succeed. Redirects count too. */
const PERMANENT = new Set([400, 405, 406, 410, 411, 413, 414, 415, 422, 431, 501, 505]);

export function judgeAttempt(result: OutgoingResult, context: JudgeContext): Outcome {
  if (result.kind === 'response' && result.statusCode >= 200 && result.statusCode < 300) {
    return { kind: 'delivered', statusCode: result.statusCode };
  }
  const failure = describeFailure(result);
  const isTransient = context.retry.isTransient?.(result) ?? !isPermanent(result);
  if (!isTransient) {
    return { kind: 'dead-letter', reason: 'permanent_failure', ...failure };
  }
  if (context.attempt >= context.retry.maxAttempts) {
    return { kind: 'dead-letter', reason: 'attempts_exhausted', ...failure };
  }
  return { kind: 'retry', delayMs: delayMs(result, context), ...failure };
}

/** `Retry-After` moves the next attempt later, never earlier, and not beyond the cap. */
function delayMs(result: OutgoingResult, { attempt, retry, fraction, now }: JudgeContext): number {
  const asked = result.kind === 'response' ? (retryAfterMs(result.headers['retry-after'], now) ?? 0) : 0;
  const backoff = retry.backoff ?? backoffMs;
  return Math.max(backoff(attempt, retry, fraction), Math.min(asked, retry.maxRetryAfterMs));
}

function isPermanent(result: OutgoingResult): boolean {
  return result.kind === 'response'
    ? PERMANENT.has(result.statusCode) || isRedirect(result.statusCode)
    : result.errorClass === 'handler_refused' || result.errorClass === 'refused';
}

function isRedirect(statusCode: number): boolean {
  return statusCode >= 300 && statusCode < 400;
}

function describeFailure(result: OutgoingResult): Failure {
  if (result.kind === 'failure') {
    return { errorClass: result.errorClass, error: result.message, statusCode: null };
  }
  const { statusCode } = result;
  return {
    errorClass: `http_${Math.floor(statusCode / 100)}xx`,
    error: isRedirect(statusCode) ? `answered ${statusCode}; redirects are not followed` : `answered ${statusCode}`,
    statusCode,
  };
}
