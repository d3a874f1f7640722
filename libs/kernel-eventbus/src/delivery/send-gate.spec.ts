import { resolveConfig } from '../eventbus.options.js';
import { EndpointChanges } from './endpoint-changes.js';
import { SendGate } from './send-gate.js';

const gate = (concurrency: number, perEndpointConcurrency: number) =>
  new SendGate(resolveConfig({ masterKey: 'k', concurrency, perEndpointConcurrency }), new EndpointChanges());

function sender(through: SendGate) {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const send = (endpointId: string, maxInFlight: number | null = null) =>
    through.pass({ endpointId, maxInFlight }, () => {
      started.push(endpointId);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  return { started, ends, send };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('SendGate', () => {
  it('lets in up to the total, and the next when one leaves', async () => {
    const { started, ends, send } = sender(gate(2, 2));
    const all = ['a', 'b', 'c'].map((endpoint) => send(endpoint));
    await settle();
    expect(started).toEqual(['a', 'b']);
    ends[0]!();
    await settle();
    expect(started).toEqual(['a', 'b', 'c']);
    ends.forEach((end) => end());
    await Promise.all(all);
  });

  it('keeps one endpoint from taking every place, by the default or by its own limit', async () => {
    const { started, ends, send } = sender(gate(10, 2));
    const all = [send('slow'), send('slow'), send('slow'), send('narrow', 1), send('narrow', 1), send('other')];
    await settle();
    expect(started).toEqual(['slow', 'slow', 'narrow', 'other']);
    while (started.length < 6) {
      ends.splice(0).forEach((end) => end());
      await settle();
    }
    ends.forEach((end) => end());
    await Promise.all(all);
  });

  it('frees the place of a send that throws', async () => {
    const through = gate(1, 1);
    await expect(
      through.pass({ endpointId: 'a', maxInFlight: null }, () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    await expect(through.pass({ endpointId: 'a', maxInFlight: null }, () => Promise.resolve('in'))).resolves.toBe('in');
  });
});
