import { randomUUID } from 'node:crypto';
import type { FieldSelector } from '../../src/endpoints/subscriptions/field-selector.js';
import type { Predicate, Subscription } from '../../src/endpoints/subscription.js';
import type { ValueComparer } from '../../src/endpoints/subscriptions/value-comparer.js';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { Router } from '../../src/routing/router.js';
import { NO_ROOM } from './no-room.js';

/** No delivery is leased on insert: all wait in the queue. */
const NOWHERE = 'http://127.0.0.1:9/hook';
const TYPE = 'invoice.created.v1';

const region = (value: string): Predicate => ({ path: '$.region', operator: 'equals', value });
const all = (...predicates: Predicate[]): Subscription => ({ type: TYPE, match: 'all', predicates });
const any = (...predicates: Predicate[]): Subscription => ({ type: TYPE, match: 'any', predicates });

type Payload = Record<string, unknown>;

/** Publishes and routes, and reports which named endpoints got which payloads. */
class Scene {
  readonly tenantId = randomUUID();
  readonly #names = new Map<string, string>();

  constructor(readonly kernel: KernelApp) {}

  async endpoint(name: string, subscriptions: Subscription[], types = [TYPE], ordering?: 'stream'): Promise<void> {
    const { tenantId } = this;
    const { endpointId } = await this.kernel.addEndpoint({ tenantId, url: NOWHERE, types, subscriptions, ordering });
    this.#names.set(endpointId, name);
  }

  async route(payload: Payload, type = TYPE): Promise<string[]> {
    const { eventId } = await this.kernel.em
      .fork()
      .transactional((em) =>
        this.kernel.outbox.publish(
          { tenantId: this.tenantId, type, streamKey: 's', traceId: 'trace-0001', payload },
          { em },
        ),
      );
    const router = this.kernel.app.get(Router);
    while ((await router.routeBatch(NO_ROOM)).routed > 0);
    const rows = await this.kernel.database.query<{ endpoint_id: string }>(
      'select endpoint_id from kernel_webhook_delivery where event_id = $1',
      [eventId],
    );
    return rows.map((row) => this.#names.get(row.endpoint_id)!).toSorted();
  }
}

describe('routing by payload', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api' });
  });
  afterAll(() => kernel.close());

  it('[FR-005] an endpoint that wants one region gets the events of that region only', async () => {
    const scene = new Scene(kernel);
    await scene.endpoint('eu', [all(region('EU'))]);
    await scene.endpoint('everything', []);
    expect(await scene.route({ region: 'EU' })).toEqual(['eu', 'everything']);
    expect(await scene.route({ region: 'US' })).toEqual(['everything']);
    expect(await scene.route({})).toEqual(['everything']);
    expect(await scene.route({ region: { code: 'EU' } })).toEqual(['everything']);
  });

  it('[FR-004] predicates are for their type; another subscribed type comes whole, one that is not never', async () => {
    const scene = new Scene(kernel);
    await scene.endpoint('eu', [all(region('EU'))], [TYPE, 'invoice.updated.v1']);
    expect(await scene.route({ region: 'US' }, 'invoice.updated.v1')).toEqual(['eu']);
    expect(await scene.route({ region: 'EU' }, 'Invoice.created.v1')).toEqual([]);
  });

  it('[FR-005] all needs every predicate, any needs one, and of several entries one is enough', async () => {
    const large: Predicate = { path: '$.totalCents', operator: 'greater', value: 1_000 };
    const scene = new Scene(kernel);
    await scene.endpoint('all', [all(region('EU'), large)]);
    await scene.endpoint('any', [any(region('EU'), large)]);
    await scene.endpoint('entries', [all(region('EU'), large), all(region('CH'))]);
    expect(await scene.route({ region: 'EU', totalCents: 1_001 })).toEqual(['all', 'any', 'entries']);
    expect(await scene.route({ region: 'EU', totalCents: 1_000 })).toEqual(['any']);
    expect(await scene.route({ region: 'US', totalCents: 1_001 })).toEqual(['any']);
    expect(await scene.route({ region: 'CH', totalCents: 1 })).toEqual(['entries']);
    expect(await scene.route({ region: 'US', totalCents: '2000' })).toEqual([]);
  });

  it('[SC-001] [SC-002] over every operator and many payloads: a delivery for each match and none besides', async () => {
    const wanted: Record<string, [Predicate, (payload: Payload) => boolean]> = {
      equals: [{ path: '$.a', operator: 'equals', value: '5' }, ({ a }) => a === 5 || a === '5'],
      'not-equals': [
        { path: '$.a', operator: 'not-equals', value: 5 },
        ({ a }) => ['string', 'number', 'boolean'].includes(typeof a) && a !== 5 && a !== '5',
      ],
      in: [{ path: '$.a', operator: 'in', value: [5, 'x'] }, ({ a }) => a === 5 || a === '5' || a === 'x'],
      greater: [{ path: '$.a', operator: 'greater', value: 4 }, ({ a }) => typeof a === 'number' && a > 4],
      less: [{ path: '$.a', operator: 'less', value: 6 }, ({ a }) => typeof a === 'number' && a < 6],
      present: [{ path: '$.a', operator: 'exists', value: true }, (payload) => 'a' in payload],
      absent: [{ path: '$.a', operator: 'exists', value: false }, (payload) => !('a' in payload)],
      'starts-with': [
        { path: '$.a', operator: 'starts-with', value: 'x' },
        ({ a }) => typeof a === 'string' && a.startsWith('x'),
      ],
      each: [{ path: '$.a[*]', operator: 'equals', value: 'x' }, ({ a }) => Array.isArray(a) && a.includes('x')],
    };
    const scene = new Scene(kernel);
    for (const [name, [predicate]] of Object.entries(wanted)) {
      await scene.endpoint(name, [all(predicate)]);
    }
    const values = [5, '5', 4, 6, 7, -1, 'x', 'xy', '', true, null, {}, { b: 5 }, [], ['x'], [5]];
    const payloads: Payload[] = [{}, { b: 5 }, ...values.map((a) => ({ a }))];
    let deliveries = 0;
    for (const payload of payloads) {
      const expected = Object.keys(wanted).filter((name) => wanted[name]![1](payload));
      expect([payload, await scene.route(payload)]).toEqual([payload, expected.toSorted()]);
      deliveries += expected.length;
    }
    expect(deliveries).toBeGreaterThan(30);
    expect(await scene.route({ a: 5 }, 'unknown.v1')).toEqual([]);
  });

  it('[FR-005] an ordered endpoint goes on in its lane past what it does not want', async () => {
    const scene = new Scene(kernel);
    await scene.endpoint('ordered', [all(region('EU'))], [TYPE], 'stream');
    expect(await scene.route({ region: 'EU' })).toEqual(['ordered']);
    expect(await scene.route({ region: 'US' })).toEqual([]);
    expect(await scene.route({ region: 'EU' })).toEqual(['ordered']);
    expect(
      await kernel.database.query(
        `select stream_sequence, previous_sequence from kernel_webhook_delivery
         where tenant_id = $1 order by stream_sequence`,
        [scene.tenantId],
      ),
    ).toEqual([
      { stream_sequence: '1', previous_sequence: null },
      { stream_sequence: '3', previous_sequence: '1' },
    ]);
  });
});

describe('routing by payload, with parts of the host', () => {
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  /** Paths are member names joined by slashes. */
  const fieldSelector: FieldSelector = {
    check: (path) => (path.startsWith('/') ? undefined : 'a path starts with a slash'),
    select: (payload, path) => {
      const node = path
        .slice(1)
        .split('/')
        .reduce<unknown>((value, name) => (value as Payload | undefined)?.[name], payload);
      return node === undefined ? [] : [node];
    },
  };
  const valueComparer: ValueComparer = {
    compare: (_, actual, expected) => {
      if (expected === 'fail') {
        throw new Error('told to fail');
      }
      return String(actual).toLowerCase() === String(expected).toLowerCase();
    },
  };

  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    kernel = await startKernelApp({ fieldSelector, valueComparer });
  });
  afterEach(async () => {
    await kernel.close();
    await receiver.stop();
  });

  it('[FR-005b] [FR-005d] [FR-011] uses them, and one endpoint whose predicate throws does not hold up the others', async () => {
    const tenantId = randomUUID();
    const add = (value: string) =>
      kernel.addEndpoint({
        tenantId,
        url: receiver.url,
        types: [TYPE],
        subscriptions: [all({ path: '/customer/region', operator: 'equals', value })],
      });
    await add('fail');
    const { endpointId } = await add('eu');
    await add('us');
    const publish = (value: string) =>
      kernel.em
        .fork()
        .transactional((em) =>
          kernel.outbox.publish(
            { tenantId, type: TYPE, streamKey: 's', traceId: 'trace-0001', payload: { customer: { region: value } } },
            { em },
          ),
        );
    const { eventId } = await publish('EU');
    const [webhook] = await receiver.receives(1);
    expect(webhook!.body).toMatchObject({ eventId });
    const deliveries = await waitFor(async () => {
      const rows = await kernel.database.query('select endpoint_id, event_id from kernel_webhook_delivery');
      return rows.length > 0 && rows;
    }, 'the deliveries to be written');
    expect(deliveries).toEqual([{ endpoint_id: endpointId, event_id: eventId }]);
  });
});
