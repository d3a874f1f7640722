import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { AdminPrincipal } from '../src/access/admin-principal.js';
import { EventStream } from '../src/live/event-stream.js';
import { LISTENER_LIMITS } from '../src/live/listener-limits.js';
import { StreamListeners } from '../src/live/stream-listeners.js';
import { ADMIN, AdminApi, OPERATOR_TOKEN } from '@kernel/test-support/admin-api';
import { EventReader } from './event-reader.js';
import { openResponse } from './open-response.js';

describe('the stream', () => {
  let api: AdminApi;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    api = await AdminApi.start({ role: 'all' });
  });
  afterAll(async () => {
    await api.close();
    await receiver.stop();
  });

  it('[KER-T] tells the present and what changes, to a tenant admin of his own tenant alone', async () => {
    const { tenantId, token } = await api.tenantAdmin();
    const other = randomUUID();
    await api.createEndpoint(tenantId, { url: receiver.url });
    await api.createEndpoint(other, { url: receiver.url });
    const readers = await Promise.all([
      EventReader.open(api, OPERATOR_TOKEN),
      EventReader.open(api, token),
      EventReader.open(api, OPERATOR_TOKEN, `?tenantId=${other}`),
    ]);
    const [all, own, chosen] = readers;
    expect(all.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(all.headers.get('cache-control')).toBe('no-store');
    await Promise.all(readers.map((reader) => reader.hears('now')));
    expect(own.heard[0]).toEqual({
      event: 'now',
      data: {
        ...{ deliveredPerSecond: 0, due: 0, oldestDueSeconds: 0, leased: 0, deadLetters: 0, openCircuits: 0 },
        ...{ blockedLanes: 0, workersAlive: 1, countCap: 10_000 },
      },
    });
    expect(all.comments).toBeGreaterThan(0);

    const mine = await api.publish(tenantId);
    const foreign = await api.publish(other);
    const isDelivered = (eventId: string) => (data: { items: Record<string, string>[] }) =>
      data.items.some((item) => item.eventId === eventId && item.status === 'DELIVERED');
    await all.hears('deliveries', isDelivered(mine.eventId));
    await all.hears('deliveries', isDelivered(foreign.eventId));
    await own.hears('deliveries', isDelivered(mine.eventId));
    await chosen.hears('deliveries', isDelivered(foreign.eventId));
    const { body } = await api.operator.get('/deliveries', { eventId: mine.eventId }).expect(200);
    expect(own.deliveries().findLast(({ status }) => status === 'DELIVERED')).toEqual(body.items[0]);
    expect(own.deliveries().every((item) => item.tenantId === tenantId)).toBe(true);
    expect(chosen.deliveries().every((item) => item.tenantId === other)).toBe(true);
    const told = all.deliveries().map(({ deliveryId, status, attempts }) => `${deliveryId} ${status} ${attempts}`);
    expect(new Set(told).size).toBe(told.length);
    await expect(EventReader.open(api, token, `?tenantId=${other}`)).rejects.toThrow('403');
    readers.forEach((reader) => reader.close());
  });

  it('ends when its token is revoked, and at once when the app stops', async () => {
    const { body } = await api.operator.post('/tokens', { name: 'short', role: 'operator' }).expect(201);
    const reader = await EventReader.open(api, body.token as string);
    await reader.hears('now');
    await api.operator.delete(`/tokens/${body.tokenId as string}`).expect(204);
    await waitFor(() => reader.isEnded, 'the end of the stream');

    const leaving = await AdminApi.start({ database: api.kernel.database });
    const listening = await EventReader.open(leaving, OPERATOR_TOKEN);
    await listening.hears('now');
    await leaving.close();
    await waitFor(() => listening.isEnded, 'the end of the stream');
  });

  it('asks nothing while nobody listens, also after a reader was torn away', async () => {
    const listeners = api.kernel.app.get(StreamListeners, { strict: false });
    const { port } = new URL(api.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET ${ADMIN}/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${OPERATOR_TOKEN}\r\n\r\n`);
    await waitFor(() => listeners.count === 1, 'the reader to be there');
    socket.destroy();
    await waitFor(() => listeners.count === 0, 'the reader to be gone');
    expect(listeners.isIdle).toBe(true);
  });

  it('forgets a reader that left before it was let in', async () => {
    const listeners = api.kernel.app.get(StreamListeners, { strict: false });
    const { response, reader, close } = await openResponse();
    reader.destroy();
    await waitFor(() => response.destroyed, 'the reader to be gone');
    const principal = new AdminPrincipal({ actor: 'gone', role: 'operator', tenantId: null });
    listeners.add({ stream: new EventStream(response), token: OPERATOR_TOKEN, principal, tenantId: undefined });
    expect(listeners.count).toBe(0);
    expect(listeners.isIdle).toBe(true);
    await close();
  });

  it('tells the others where the listeners of one tenant cannot be told', async () => {
    const listeners = api.kernel.app.get(StreamListeners, { strict: false });
    const { response, reader, close } = await openResponse();
    const tenantId = 'of which the database knows nothing';
    const principal = new AdminPrincipal({ actor: 'nobody', role: 'tenant-admin', tenantId });
    listeners.add({ stream: new EventStream(response), token: OPERATOR_TOKEN, principal, tenantId });
    const other = await EventReader.open(api, OPERATOR_TOKEN);
    await other.hears('now');
    other.close();
    reader.destroy();
    await close();
  });

  it('refuses the streams of a token beyond its share, and serves operators all the while', async () => {
    const { token } = await api.tenantAdmin();
    const readers: EventReader[] = [];
    for (let n = 0; n < LISTENER_LIMITS.perToken; n++) {
      readers.push(await EventReader.open(api, token));
    }
    const { body, headers } = await api.as(token).get('/stream').expect(429);
    expect(body).toMatchObject({
      type: 'urn:kernel:problem:too-many-listeners',
      detail: expect.stringContaining('at most 10'),
    });
    expect(headers['retry-after']).toBe('60');
    readers.push(await EventReader.open(api, OPERATOR_TOKEN));
    readers.shift()!.close();
    readers.push(await waitFor(() => EventReader.open(api, token).catch(() => undefined), 'a free place'));
    readers.forEach((reader) => reader.close());
  });
});
