import {
  DuplicateEventIdError,
  EventIdReusedError,
  InvalidEventError,
  PayloadTooLargeError,
  TraceIdRequiredError,
} from '../eventbus.errors.js';
import { describeProblem } from './describe-problem.js';

const ID = '0190a000-0000-7000-8000-000000000001';

describe('describeProblem', () => {
  it.each([
    ['[SC-010] an event id that exists', new DuplicateEventIdError(ID), 409, 'event-duplicate-id'],
    ['[SC-010] an event id of another event', new EventIdReusedError(ID, ['type']), 409, 'event-id-reused'],
    ['an event that is not valid', new InvalidEventError([{ path: 'type', message: 'no' }]), 400, 'validation-failed'],
    ['a payload that is too large', new PayloadTooLargeError('t.v1', 2, 1), 400, 'validation-failed'],
    ['an error of ours that the caller cannot help', new TraceIdRequiredError('t.v1'), 500, 'event-trace-id-required'],
  ])('tells of %s', (_what, error, status, type) => {
    expect(describeProblem(error)).toMatchObject({ status, type, detail: expect.any(String) });
  });

  it('tells nothing of what is unforeseen', () => {
    expect(describeProblem(new Error('password=hunter2'))).toEqual({
      type: 'internal-error',
      status: 500,
      detail: 'something went wrong on our side',
    });
  });
});
