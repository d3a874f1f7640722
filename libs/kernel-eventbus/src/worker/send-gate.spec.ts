import { jest } from '@jest/globals';
import { resolveConfig } from '../eventbus.config.js';
import { EndpointVersions } from './endpoint-versions.js';
import { Pulse } from './liveness/pulse.js';
import { SendGate } from './send-gate.js';

const gate = (concurrency: number, perEndpointConcurrency: number) => {
  const config = resolveConfig({ masterKey: 'k', concurrency, perEndpointConcurrency });
  const pulse = new Pulse(config);
  pulse.note(pulse.now(), true);
  return new SendGate(config, new EndpointVersions(), pulse);
};

async function pass<T>(
  through: SendGate,
  passing: Parameters<SendGate['enter']>[0],
  send: () => Promise<T>,
): Promise<T> {
  await through.enter(passing);
  try {
    return await send();
  } finally {
    through.leave(passing);
  }
}

function sender(through: SendGate) {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  let count = 0;
  const send = (endpointId: string, maxInFlight: number | null = null, tenantId = 'tenant', isSuspect = false) =>
    pass(
      through,
      { deliveryId: `${endpointId}-${++count}`, tenantId, endpointId, endpoint: { maxInFlight }, isSuspect },
      () => {
        started.push(endpointId);
        return new Promise<void>((resolve) => ends.push(resolve));
      },
    );
  return { started, ends, send };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('SendGate', () => {
  afterEach(() => jest.restoreAllMocks());

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

  it('lets one request of each other tenant in when one tenant has every place, up to a quarter more', async () => {
    const { started, ends, send } = sender(gate(8, 8));
    const all = Array.from({ length: 9 }, () => send('greedy', null, 'greedy'));
    all.push(...['b', 'b', 'c', 'd'].map((tenant) => send(tenant, null, tenant)));
    await settle();
    expect(started.slice(8)).toEqual(['b', 'c']);

    ends[8]!();
    await settle();
    expect(started.slice(10)).toEqual(['b']);

    while (started.length < all.length) {
      ends.splice(0).forEach((end) => end());
      await settle();
    }
    ends.forEach((end) => end());
    await Promise.all(all);
  });

  it('lets tenants enter in turn', async () => {
    const { started, ends, send } = sender(gate(1, 1));
    const all = [send('x1', null, 'x'), send('y1', null, 'y')];
    all.push(...['a', 'a', 'a', 'b', 'b', 'c'].map((tenant) => send(tenant, null, tenant)));
    for (let n = 0; n < all.length; n++) {
      await settle();
      ends[n]!();
    }
    await Promise.all(all);
    expect(started).toEqual(['x1', 'y1', 'a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('lets suspects enter in turn with the tenants, before what their tenant has fetched ahead', async () => {
    const { started, ends, send } = sender(gate(1, 1));
    const all = [send('x1', null, 'x'), send('y1', null, 'y')];
    all.push(...['a', 'a', 'a'].map((tenant) => send(tenant, null, tenant)));
    all.push(send('suspect', null, 'a', true));
    for (let n = 0; n < all.length; n++) {
      await settle();
      ends[n]!();
    }
    await Promise.all(all);
    expect(started).toEqual(['x1', 'y1', 'a', 'suspect', 'a', 'a']);
  });

  it('names who is next in line: as many as left a moment ago, none for an endpoint that hangs', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const through = gate(4, 2);
    const { ends, send } = sender(through);
    const all = ['hangs', 'hangs', 'quick', 'quick', 'hangs', 'hangs', 'quick', 'quick', 'quick'].map((one) =>
      send(one),
    );
    await settle();
    expect(through.nextInLine()).toEqual([]);
    ends[2]!();
    ends[3]!();
    await settle();
    expect(through.nextInLine()).toEqual(['quick-9']);
    while (ends.length > 0) {
      ends.splice(0).forEach((end) => end());
      await settle();
    }
    await Promise.all(all);
  });

  it('lets the next request of a tenant in by the reserve when another tenant takes the place that it left', async () => {
    const { started, ends, send } = sender(gate(4, 4));
    const all = [send('b', null, 'b'), ...Array.from({ length: 3 }, () => send('greedy', null, 'greedy'))];
    all.push(send('greedy', null, 'greedy'), send('b', null, 'b'));
    await settle();
    expect(started).toEqual(['b', 'greedy', 'greedy', 'greedy']);

    ends[0]!();
    await settle();
    expect(started.slice(4)).toEqual(['greedy', 'b']);
    ends.forEach((end) => end());
    await Promise.all(all);
  });
});
