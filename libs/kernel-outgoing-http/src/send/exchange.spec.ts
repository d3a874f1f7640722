import { Exchange } from './exchange.js';

const NEVER_MS = 60_000;

describe('Exchange', () => {
  it('cancels the response under way with the signal of the caller', async () => {
    const caller = new AbortController();
    const exchange = new Exchange(NEVER_MS, caller.signal);
    const { settled } = exchange.newResponse();
    caller.abort();
    await expect(settled).rejects.toMatchObject({ code: 'ERR_CANCELED' });
    expect(exchange).toMatchObject({ isAborted: true, hasExpired: false });
    exchange.end();
  });

  it('is aborted from the start if its caller is, and so is every response', async () => {
    const exchange = new Exchange(NEVER_MS, AbortSignal.abort());
    expect([exchange.isAborted, exchange.signal.aborted]).toEqual([true, true]);
    await expect(exchange.newResponse().settled).rejects.toMatchObject({ code: 'ERR_CANCELED' });
    exchange.end();
  });

  it('aborts the steps before the request at its deadline', async () => {
    const exchange = new Exchange(1);
    const { signal } = exchange;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    expect(exchange).toMatchObject({ isAborted: true, hasExpired: true });
    exchange.end();
  });

  it('skips a request that was aborted while it waited for a socket', () => {
    const exchange = new Exchange(NEVER_MS);
    const response = exchange.newResponse();
    response.settled.catch(() => undefined);
    exchange.abort();
    expect(() => response.onRequestStart({} as never)).toThrow('cancelled before it was sent');
    exchange.end();
  });

  it('is not aborted any more after its end', () => {
    const caller = new AbortController();
    const exchange = new Exchange(NEVER_MS, caller.signal);
    exchange.end();
    caller.abort();
    expect(exchange.isAborted).toBe(false);
  });
});
