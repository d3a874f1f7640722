import { jest } from '@jest/globals';
import { EndpointSignals } from './endpoint-signals.js';

const GRACE_MS = 1_000;

/** An attempt that lasts until the test ends. */
function begin(signals: EndpointSignals, version: string): AbortSignal {
  let begun: AbortSignal | undefined;
  void signals.during('endpoint', version, (signal) => {
    begun = signal;
    return new Promise<void>(() => undefined);
  });
  return begun!;
}

describe('the abort signals of an endpoint', () => {
  let signals: EndpointSignals;
  beforeEach(() => {
    jest.useFakeTimers();
    signals = new EndpointSignals();
  });
  afterEach(() => jest.useRealTimers());

  const hear = (state: 'deleted' | 'disabled' | 'enabled') => signals.hear({ endpointId: 'endpoint', state });

  it('are given no later when it is heard twice that the endpoint is disabled', () => {
    const signal = begin(signals, '1');
    hear('disabled');
    jest.advanceTimersByTime(GRACE_MS - 1);
    hear('disabled');
    expect(signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(signal.aborted).toBe(true);
  });

  it('are not given when it is enabled meanwhile, and are when it is disabled again', () => {
    const signal = begin(signals, '1');
    hear('disabled');
    hear('enabled');
    jest.advanceTimersByTime(GRACE_MS);
    expect(signal.aborted).toBe(false);
    hear('disabled');
    jest.advanceTimersByTime(GRACE_MS);
    expect(signal.aborted).toBe(true);
  });

  it('spare attempts that begin after the endpoint is enabled again', () => {
    const before = begin(signals, '1');
    hear('disabled');
    jest.advanceTimersByTime(GRACE_MS);
    hear('enabled');
    const after = begin(signals, '2');
    expect([before.aborted, after.aborted]).toEqual([true, false]);
  });

  it('tell the versions of the endpoint that attempts in flight were begun with', async () => {
    begin(signals, '1');
    begin(signals, '1');
    begin(signals, '2');
    await signals.during('endpoint', '3', () => Promise.resolve());
    expect(signals.flights.map(({ version }) => version)).toEqual(['1', '2']);
    hear('deleted');
    expect(signals.flights.every(({ controller }) => controller.signal.aborted)).toBe(true);
  });
});
