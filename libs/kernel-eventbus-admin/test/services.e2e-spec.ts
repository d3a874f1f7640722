import { randomUUID } from 'node:crypto';
import { EndpointService, LedgerReader, ReplayService, type RequestRefusedError } from '@kernel/eventbus';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';
import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';

/** A settings page of a host: it injects the services, and nothing of the admin API. */
@Injectable()
class SettingsPage {
  constructor(
    readonly endpoints: EndpointService,
    readonly replays: ReplayService,
    readonly ledger: LedgerReader,
  ) {}
}

describe('services for hosts', () => {
  let api: AdminApi;
  let page: SettingsPage;
  let receiver: WebhookReceiver;
  let tenantId: string;
  const operator = { actor: 'user:ada' };
  const acting = () => ({ actor: 'user:bob', tenantId });

  beforeAll(async () => {
    api = await AdminApi.start({ role: 'all', providers: [SettingsPage] });
    page = api.kernel.app.get(SettingsPage);
    receiver = await WebhookReceiver.start();
  });
  beforeEach(() => {
    tenantId = randomUUID();
    receiver.received.length = 0;
  });
  afterAll(async () => {
    await api.close();
    await receiver.stop();
  });

  const settings = () => ({ tenantId, url: receiver.url, subscribedTypes: [TYPE] });
  const refusalOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      ({ code, message, issues }: RequestRefusedError) => ({ code, message, issues }),
    );

  it('creates an endpoint, delivers to it, rotates, disables, enables, replays and deletes', async () => {
    const { endpointId, secret } = await page.endpoints.create(operator, settings());
    await api.publish(tenantId);
    const [first] = await receiver.receives(1);
    expect(() => new Webhook(secret!).verify(first!.raw, first!.headers as Record<string, string>)).not.toThrow();

    const rotated = await page.endpoints.rotate(operator, endpointId, { overlapSeconds: 60 });
    expect(rotated).toMatchObject({
      version: 2,
      secret: expect.stringMatching(/^whsec_/),
      overlapping: [{ version: 1 }],
    });
    const { deliveryId } = await waitFor(async () => {
      const delivery = await api.deliveryOf(endpointId);
      return delivery.status === 'DELIVERED' && (delivery as { deliveryId: string });
    }, 'the delivery to end');
    await page.replays.replay(operator, deliveryId, { reason: 'the receiver lost it' });
    const [, second] = await receiver.receives(2);
    for (const known of [secret!, rotated.secret!]) {
      expect(() => new Webhook(known).verify(second!.raw, second!.headers as Record<string, string>)).not.toThrow();
    }

    expect(await page.endpoints.disable(operator, endpointId)).toMatchObject({ isEnabled: false });
    expect(await page.endpoints.find(operator, endpointId)).toMatchObject({
      isEnabled: false,
      circuit: { state: 'closed' },
    });
    expect(await page.endpoints.enable(operator, endpointId)).toMatchObject({ isEnabled: true });
    expect(await page.endpoints.update(operator, endpointId, { name: 'billing' })).toMatchObject({ name: 'billing' });
    expect(await page.endpoints.test(operator, endpointId)).toMatchObject({ delivered: true, statusCode: 204 });
    await page.endpoints.delete(operator, endpointId);
    expect((await page.endpoints.list(operator, { tenantId })).items).toEqual([]);

    const { items } = await page.ledger.search(operator, { endpointId });
    expect(items.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining([
        'endpoint-created',
        'delivered',
        'replayed',
        'endpoint-updated',
        'endpoint-tested',
        'endpoint-deleted',
      ]),
    );
    expect(items.find(({ kind }) => kind === 'replayed')).toMatchObject({
      actor: 'user:ada',
      reason: 'the receiver lost it',
    });
    const { body } = await api.operator.get('/audit', { endpointId }).expect(200);
    expect(items).toEqual(body.items);
  });

  it('counts, starts, shows and cancels operations', async () => {
    const { endpointId } = await page.endpoints.create(operator, { ...settings(), isEnabled: false });
    await api.addDelivery(tenantId, endpointId, 'DLQ');
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const request = { since, reason: 'repaired' };
    expect(await page.replays.recover(acting(), endpointId, { ...request, dryRun: true })).toEqual({ count: 1 });
    expect(await page.replays.replayMissing(acting(), endpointId, { ...request, dryRun: true })).toEqual({ count: 0 });
    const filter = { endpointId, status: 'DLQ' as const };
    expect(await page.replays.replayMatching(acting(), { filter, reason: 'all', dryRun: true })).toEqual({ count: 1 });

    const { operationId } = await page.replays.recover(acting(), endpointId, request);
    const ended = await waitFor(async () => {
      const operation = await page.replays.operation(acting(), operationId!);
      return operation.state === 'completed' && operation;
    }, 'the operation to end');
    expect(ended).toMatchObject({ total: 1, done: 1, failed: 0, actor: 'user:bob' });
    expect(await refusalOf(page.replays.cancel(acting(), operationId!))).toMatchObject({ code: 'CONFLICT' });
  });

  it('refuses invalid input with the texts of the admin API, and changes nothing', async () => {
    const { endpointId } = await page.endpoints.create(operator, settings());
    const deliveryId = await api.addDelivery(tenantId, endpointId, 'PENDING');
    const before = await api.countRows();
    const { tenantId: _, ...without } = settings();
    const created: Record<string, unknown>[] = [
      without,
      { ...settings(), url: 'ftp://files.example' },
      { ...settings(), url: 'https://user:pw@a.example' },
      { ...settings(), colour: 'red' },
      { ...settings(), headers: { host: 'x' } },
      { ...settings(), dispatcher: 'pigeon' },
      { ...settings(), signingSecretAlias: 'nowhere' },
      { ...settings(), subscriptions: [{ type: 'other.v1', match: 'all', predicates: [] }] },
    ];
    for (const body of created) {
      const { body: problem } = await api.operator.post('/endpoints', body);
      expect(await refusalOf(page.endpoints.create(operator, body as never))).toEqual({
        code: 'VALIDATION_FAILED',
        message: problem.detail,
        issues: problem.errors,
      });
    }
    const unknown = randomUUID();
    const others: [Promise<unknown>, string, unknown][] = [
      [page.endpoints.update(operator, endpointId, {}), `/endpoints/${endpointId}`, undefined],
      [page.endpoints.rotate(operator, unknown), `/endpoints/${unknown}/rotate-secret`, {}],
      [
        page.endpoints.rotate(operator, endpointId, { overlapSeconds: -1 }),
        `/endpoints/${endpointId}/rotate-secret`,
        { overlapSeconds: -1 },
      ],
      [
        page.replays.replay(operator, deliveryId, { reason: 'now' }),
        `/deliveries/${deliveryId}/replay`,
        { reason: 'now' },
      ],
      [page.replays.replay(operator, deliveryId, { reason: ' ' }), `/deliveries/${deliveryId}/replay`, { reason: ' ' }],
      [
        page.replays.replayMatching(operator, { filter: {}, reason: 'x' }),
        '/deliveries/replay',
        { filter: {}, reason: 'x' },
      ],
    ];
    for (const [work, path, body] of others) {
      const { body: problem } = await (body ? api.operator.post(path, body) : api.operator.patch(path, {}));
      const { code, message } = (await refusalOf(work))!;
      expect([`urn:kernel:problem:${code.toLowerCase().replace('_', '-')}`, message]).toEqual([
        problem.type,
        problem.detail,
      ]);
    }
    expect(await api.countRows()).toEqual(before);
  });

  it('[KER-T] confines a caller with a tenant to it: foreign ids are unknown', async () => {
    const { endpointId } = await page.endpoints.create(operator, settings());
    const deliveryId = await api.addDelivery(tenantId, endpointId, 'DELIVERED');
    const stranger = { actor: 'user:eve', tenantId: randomUUID() };
    const reason = { reason: 'mine' };
    const since = { since: new Date(0).toISOString(), ...reason };
    const before = await api.countRows();
    const attempts = [
      page.endpoints.find(stranger, endpointId),
      page.endpoints.update(stranger, endpointId, { name: 'mine' }),
      page.endpoints.disable(stranger, endpointId),
      page.endpoints.rotate(stranger, endpointId),
      page.endpoints.test(stranger, endpointId),
      page.endpoints.delete(stranger, endpointId),
      page.replays.replay(stranger, deliveryId, reason),
      page.replays.recover(stranger, endpointId, since),
    ];
    for (const attempt of attempts) {
      expect(await refusalOf(attempt)).toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await refusalOf(page.endpoints.create(stranger, settings()))).toMatchObject({ code: 'FORBIDDEN' });
    expect(await refusalOf(page.ledger.search(stranger, { tenantId }))).toMatchObject({ code: 'FORBIDDEN' });
    expect((await page.ledger.search(stranger, { endpointId })).items).toEqual([]);
    expect((await page.endpoints.list(stranger)).items).toEqual([]);
    expect(await refusalOf(page.endpoints.create(acting(), settings()))).toMatchObject({
      code: 'VALIDATION_FAILED',
      issues: [{ path: 'url' }],
    });
    expect(await api.countRows()).toEqual(before);
  });

  it('refuses a caller whose tenant is undefined instead of making it an operator', async () => {
    const user: { tenantId?: string } = {};
    const refused = await refusalOf(page.endpoints.list({ actor: 'user:eve', tenantId: user.tenantId }));
    expect(refused).toMatchObject({ code: 'VALIDATION_FAILED', issues: [{ path: 'tenantId' }] });
    expect(await refusalOf(page.endpoints.list({ actor: '' }))).toMatchObject({ issues: [{ path: 'actor' }] });
  });

  it('writes the same ledger entries as the admin API', async () => {
    const facts = async (run: () => Promise<string>) => {
      const endpointId = await run();
      const { items } = await page.ledger.search(operator, { tenantId });
      return items
        .filter(({ kind }) => kind.startsWith('endpoint-') || kind.startsWith('secret-'))
        .map(({ kind, detail, reason }) =>
          JSON.stringify({ kind, detail, reason })
            .replaceAll(endpointId, 'id')
            .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time'),
        );
    };
    const byService = await facts(async () => {
      const { endpointId } = await page.endpoints.create(operator, settings());
      await page.endpoints.rotate(operator, endpointId);
      await page.endpoints.disable(operator, endpointId);
      await page.endpoints.delete(operator, endpointId);
      return endpointId;
    });
    tenantId = randomUUID();
    const byApi = await facts(async () => {
      const { endpointId } = await api.createEndpoint(tenantId, settings());
      await api.operator.post(`/endpoints/${endpointId}/rotate-secret`, {}).expect(200);
      await api.operator.patch(`/endpoints/${endpointId}`, { isEnabled: false }).expect(200);
      await api.operator.delete(`/endpoints/${endpointId}`).expect(204);
      return endpointId!;
    });
    expect(byService).toHaveLength(5);
    expect(byService).toEqual(byApi);
  });
});
