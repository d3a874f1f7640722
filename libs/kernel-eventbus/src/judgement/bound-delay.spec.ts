import { boundDelay, MAX_DELAY_MS } from './bound-delay.js';
import type { Outcome } from './judge-attempt.js';

const retry = (delayMs: unknown): Outcome => ({
  kind: 'retry',
  delayMs: delayMs as number,
  errorClass: 'http_5xx',
  error: 'answered 500',
  statusCode: 500,
});

describe('boundDelay', () => {
  it.each<[unknown, number]>([
    [0, 0],
    [1.6, 2],
    [-5, 0],
    [-Infinity, 0],
    [1e15, MAX_DELAY_MS],
    [Infinity, MAX_DELAY_MS],
    [NaN, 77],
    [undefined, 77],
    ['soon', 77],
  ])('of %s is %i', (delayMs, bounded) => {
    expect(boundDelay(retry(delayMs), () => 77)).toEqual(retry(bounded));
  });

  it('leaves other outcomes as they are', () => {
    const delivered: Outcome = { kind: 'delivered', statusCode: 204 };
    expect(boundDelay(delivered, () => 77)).toBe(delivered);
  });
});
