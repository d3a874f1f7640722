import {
  InvalidSecretError,
  MasterKeyMismatchError,
  SecretKindMismatchError,
  SecretsUnavailableError,
  SecretUndecryptableError,
  SigningSecretNotFoundError,
} from '@kernel/secrets';
import {
  DuplicateEventIdError,
  EventIdReusedError,
  IdempotencyConflictError,
  IdempotencyKeyRequiredError,
  InvalidEventError,
  PayloadTooLargeError,
  RetryableTransactionError,
  TraceIdRequiredError,
} from '@kernel/eventbus';
import { BadRequestException, HttpException, InternalServerErrorException, NotFoundException } from '@nestjs/common';
import { ZodValidationException } from 'nestjs-zod';
import { z } from 'zod';
import { describeProblem } from './describe-problem.js';

const ID = '0190a000-0000-7000-8000-000000000001';

describe('describeProblem', () => {
  it.each([
    ['[SC-010] an event id that exists', new DuplicateEventIdError(ID), 409, 'event-duplicate-id'],
    ['[SC-010] an event id of another event', new EventIdReusedError(ID, ['type']), 409, 'event-id-reused'],
    [
      'an idempotency key of another event',
      new IdempotencyConflictError('k', ID, ['type']),
      409,
      'event-idempotency-conflict',
    ],
    ['a missing idempotency key', new IdempotencyKeyRequiredError('t.v1'), 400, 'event-idempotency-key-required'],
    [
      'a store of secrets that is down',
      new SecretsUnavailableError('/run/secrets is gone'),
      503,
      'secrets-unavailable',
    ],
    ['a secret that does not decrypt', new SecretUndecryptableError('billing', 2), 503, 'secrets-unavailable'],
    ['a master key that does not fit', new MasterKeyMismatchError('a', 'b'), 503, 'secrets-unavailable'],
    [
      'a secret of the wrong kind',
      new SecretKindMismatchError('billing', 'hmac', 'ed25519'),
      409,
      'secret-kind-mismatch',
    ],
    ['a secret that is not there', new SigningSecretNotFoundError(ID, 'billing'), 409, 'signing-secret-not-found'],
    ['a secret that is none', new InvalidSecretError('hmac', 'is too short'), 400, 'secret-invalid'],
    ['a transaction to run again', new RetryableTransactionError('40001'), 503, 'outbox-transaction-retryable'],
    ['an event that is not valid', new InvalidEventError([{ path: 'type', message: 'no' }]), 400, 'validation-failed'],
    ['a payload that is too large', new PayloadTooLargeError('t.v1', 2, 1), 400, 'validation-failed'],
    ['an error of ours that the caller cannot help', new TraceIdRequiredError('t.v1'), 500, 'event-trace-id-required'],
  ])('tells of %s', (_what, error, status, code) => {
    expect(describeProblem(error)).toMatchObject({ status, code, detail: expect.any(String) });
  });

  it('tells nothing of where secrets are kept, and which version to revoke', () => {
    expect(describeProblem(new SecretsUnavailableError('/run/secrets is gone')).detail).not.toContain('/run/secrets');
    expect(describeProblem(new SecretUndecryptableError('billing', 2)).detail).toContain(
      'version 2 of the secret "billing"',
    );
  });

  it('lists 20 of 100,000 unknown fields, in a few kilobytes', () => {
    const body = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`.padEnd(300, 'x'), 1]));
    const { error } = z.strictObject({}).safeParse(body);
    const problem = describeProblem(new ZodValidationException(error));
    expect(problem.errors).toHaveLength(20);
    expect(problem.detail).toMatch(/; and \d+ more$/);
    expect(problem.detail.length).toBeLessThan(1_100);
    expect(JSON.stringify(problem).length).toBeLessThan(10_000);
  });

  it.each([
    ['a missing route', new NotFoundException('Cannot GET /nowhere'), 404, 'not-found'],
    ['a wrong request', new BadRequestException('no'), 400, 'bad-request'],
    ['a large body', Object.assign(new Error('too large'), { status: 413 }), 413, 'body-too-large'],
    ['a rare status', new HttpException('no', 418), 418, 'i-m-a-teapot'],
    ['a status without a name', new HttpException('no', 499), 499, 'error'],
    ['a failure behind us', new HttpException('no', 503), 503, 'service-unavailable'],
    ['a failure of ours', new InternalServerErrorException('password=hunter2'), 500, 'internal-error'],
  ])('has a code for %s', (_what, error, status, code) => {
    expect(describeProblem(error)).toMatchObject({ status, code });
  });

  it('tells nothing of what is unforeseen', () => {
    expect(describeProblem(new Error('password=hunter2'))).toEqual({
      code: 'internal-error',
      status: 500,
      detail: 'something went wrong on our side',
    });
  });
});
