import { EventRefusedError, NotAnEventError, SignatureInvalidError } from '../inbox.errors.js';
import { judgeFailure } from './judge-failure.js';

const RETRY = { initialDelayMs: 100, maxDelayMs: 1_000 };

describe('judgeFailure', () => {
  it.each([new NotAnEventError('no JSON'), new EventRefusedError('unknown account')])('gives up: %s', (error) => {
    expect(judgeFailure(error, { deliveries: 1, ...RETRY })).toEqual({ kind: 'give-up' });
  });

  it.each([
    [1, 100],
    [2, 200],
    [4, 800],
    [5, 1_000],
    [5_000, 1_000],
  ])('lets delivery %s come again after %s ms, whatever failed', (deliveries, delayMs) => {
    for (const error of [new Error('the database is down'), new SignatureInvalidError('none fits'), 'no Error']) {
      expect(judgeFailure(error, { deliveries, ...RETRY })).toEqual({ kind: 'again', delayMs });
    }
  });
});
