import type { OutgoingResult } from '@kernel/outgoing-http';
import { judgeAttempt } from './judge-attempt.js';

const answered = (statusCode: number): OutgoingResult => ({
  kind: 'response',
  statusCode,
  headers: {},
  bodyExcerpt: '',
  latencyMs: 1,
});
const context = {
  attempt: 1,
  retry: { maxAttempts: 5, initialDelayMs: 1_000, maxDelayMs: 300_000, maxRetryAfterMs: 60_000 },
  fraction: 0,
  now: new Date(),
};

describe('judgeAttempt', () => {
  it.each([200, 201, 202, 204, 299])('[KER-5c] takes %i as delivered', (statusCode) => {
    expect(judgeAttempt(answered(statusCode), context)).toEqual({ kind: 'delivered', statusCode });
  });

  it.each([400, 405, 406, 410, 411, 413, 414, 415, 422, 431, 501, 505, 301, 302, 307, 308])(
    '[ADR-5] takes %i as permanent',
    (statusCode) => {
      expect(judgeAttempt(answered(statusCode), context)).toMatchObject({
        kind: 'dead-letter',
        reason: 'permanent_failure',
        statusCode,
      });
    },
  );

  it.each([401, 403, 404, 408, 409, 425, 429, 500, 502, 503, 504])('takes %i as transient', (statusCode) => {
    expect(judgeAttempt(answered(statusCode), context)).toMatchObject({ kind: 'retry', delayMs: 1_000, statusCode });
  });

  it('waits as long as Retry-After asks, never shorter than the backoff, never beyond the cap', () => {
    const asked = (retryAfter: string) =>
      judgeAttempt(
        { kind: 'response', statusCode: 429, headers: { 'retry-after': retryAfter }, bodyExcerpt: '', latencyMs: 1 },
        context,
      );
    expect(asked('30')).toMatchObject({ kind: 'retry', delayMs: 30_000 });
    expect(asked('0')).toMatchObject({ kind: 'retry', delayMs: 1_000 });
    expect(asked('86400')).toMatchObject({ kind: 'retry', delayMs: 60_000 });
    expect(asked('whenever')).toMatchObject({ kind: 'retry', delayMs: 1_000 });
  });

  it('takes what the network did as transient', () => {
    const result: OutgoingResult = {
      kind: 'failure',
      errorClass: 'tls',
      message: 'the certificate is not trusted',
      latencyMs: 1,
    };
    expect(judgeAttempt(result, context)).toEqual({
      kind: 'retry',
      delayMs: 1_000,
      errorClass: 'tls',
      error: 'the certificate is not trusted',
      statusCode: null,
    });
  });

  it('[KER-2.4] gives up at the last attempt, not before', () => {
    expect(judgeAttempt(answered(500), { ...context, attempt: 4 }).kind).toBe('retry');
    expect(judgeAttempt(answered(500), { ...context, attempt: 5 })).toMatchObject({
      kind: 'dead-letter',
      reason: 'attempts_exhausted',
    });
  });
});
