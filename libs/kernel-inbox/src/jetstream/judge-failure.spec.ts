import { EventRefusedError, NotAnEventError, SignatureInvalidError } from '../inbox.errors.js';
import { judgeFailure } from './judge-failure.js';

const RETRY = { initialDelayMs: 100, maxDelayMs: 1_000, unverified: 'wait' as const };

describe('judgeFailure', () => {
  it.each([new NotAnEventError('no JSON'), new EventRefusedError('unknown account')])('gives up: %s', (error) => {
    expect(judgeFailure(error, { deliveries: 1, ...RETRY })).toEqual({ kind: 'give-up' });
  });

  it('gives up what is not signed where others write too, and nothing else', () => {
    const terms = { deliveries: 1, ...RETRY, unverified: 'give-up' as const };
    expect(judgeFailure(new SignatureInvalidError('none fits'), terms)).toEqual({ kind: 'give-up' });
    expect(judgeFailure(new Error('the database is down'), terms)).toEqual({ kind: 'again', delayMs: 100 });
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
