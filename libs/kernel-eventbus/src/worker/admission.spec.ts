import { resolveConfig } from '../eventbus.config.js';
import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import { Admission } from './admission.js';
import { EndpointVersions } from './endpoint-versions.js';
import type { InFlightList } from './in-flight-list.js';
import { Pulse } from './liveness/pulse.js';
import { SendGate } from './send-gate.js';

/** An admission with one place. `announce` stands in for the list in the database. */
function admission(announce: InFlightList['begin'] = () => undefined): Admission {
  const config = resolveConfig({ masterKey: 'k', concurrency: 1, perEndpointConcurrency: 1 });
  const pulse = new Pulse(config);
  pulse.note(pulse.now(), true);
  const gate = new SendGate(config, new EndpointVersions(), pulse);
  const inFlight = { begin: announce } as InFlightList;
  return new Admission(gate, inFlight, {} as never, {} as never);
}

const delivery = (deliveryId: string) =>
  ({ deliveryId, tenantId: 'tenant', endpointId: 'endpoint', endpoint: { maxInFlight: null } }) as ClaimedDelivery;

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('Admission', () => {
  it('frees the place of a send that throws', async () => {
    const one = admission();
    await expect(one.pass(delivery('a'), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(one.pass(delivery('b'), () => Promise.resolve('sent'))).resolves.toBe('sent');
  });

  it('keeps the place until the send ends', async () => {
    const one = admission();
    const sent: string[] = [];
    const end = Promise.withResolvers<void>();
    const send = (id: string, until?: Promise<void>) =>
      one.pass(delivery(id), () => {
        sent.push(id);
        return until ?? Promise.resolve();
      });
    const both = [send('a', end.promise), send('b')];
    await settle();
    expect(sent).toEqual(['a']);
    end.resolve();
    await Promise.all(both);
    expect(sent).toEqual(['a', 'b']);
  });

  it('sends after the announcement, which is made when the delivery has a place', async () => {
    const steps: string[] = [];
    const announcements = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() };
    const one = admission((id) => {
      steps.push(`announce ${id}`);
      return announcements[id as 'a' | 'b'].promise;
    });
    const send = (id: string) => one.pass(delivery(id), async () => void steps.push(`send ${id}`));
    const both = [send('a'), send('b')];
    await settle();
    expect(steps).toEqual(['announce a']);
    announcements.a.resolve();
    await settle();
    expect(steps).toEqual(['announce a', 'send a', 'announce b']);
    announcements.b.resolve();
    await Promise.all(both);
    expect(steps.at(-1)).toBe('send b');
  });
});
