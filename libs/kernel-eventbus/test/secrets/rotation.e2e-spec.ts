import { randomBytes, randomUUID } from 'node:crypto';
import { WebhookReceiver, type ReceivedWebhook } from '@kernel/eventbus/testing';
import { SecretsClock } from '@kernel/secrets';
import { Webhook } from 'standardwebhooks';
import { AdminApi } from '@kernel/test-support/admin-api';
import { verifiesV1a } from './verify-v1a.js';

const HOUR_MS = 3_600_000;

describe('the secrets of an endpoint', () => {
  let api: AdminApi;
  let receiver: WebhookReceiver;
  /** Moves only the overlaps; receivers use the real time. */
  let aheadMs = 0;
  const tenantId = randomUUID();
  beforeAll(async () => {
    const clock: SecretsClock = { now: () => new Date(Date.now() + aheadMs) };
    api = await AdminApi.start({ adapt: (builder) => builder.overrideProvider(SecretsClock).useValue(clock) });
    receiver = await WebhookReceiver.start();
  });
  beforeEach(() => {
    aheadMs = 0;
  });
  afterAll(async () => {
    await receiver.stop();
    await api.close();
  });

  const create = (settings: object = {}) => api.createEndpoint(tenantId, { url: receiver.url, ...settings });
  const rotate = async (endpointId: string, overlapSeconds?: number) => {
    const { body } = await api.operator.post(`/endpoints/${endpointId}/rotate-secret`, { overlapSeconds }).expect(200);
    return body as { secret: string; publicKey: string; version: number; overlapping: object[] };
  };
  const send = async (endpointId: string): Promise<ReceivedWebhook> => {
    const { body } = await api.operator.post(`/endpoints/${endpointId}/test`).expect(200);
    expect(body).toMatchObject({ delivered: true });
    return receiver.received.at(-1)!;
  };
  const verifies = (secret: string, { raw, headers }: ReceivedWebhook) => {
    try {
      new Webhook(secret).verify(raw, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };

  it('v1: old and new verify during the overlap, the old one not after it', async () => {
    const { endpointId, secret: old } = await create();
    const rotated = await rotate(endpointId!, 3600);
    expect(rotated).toMatchObject({
      signingSecretAlias: `endpoint-${endpointId}`,
      version: 2,
      secret: expect.stringMatching(/^whsec_/),
      overlapping: [{ version: 1, liveUntil: expect.any(String) }],
    });
    const during = await send(endpointId!);
    expect([verifies(old!, during), verifies(rotated.secret, during)]).toEqual([true, true]);
    aheadMs = HOUR_MS + 1_000;
    const after = await send(endpointId!);
    expect([verifies(old!, after), verifies(rotated.secret, after)]).toEqual([false, true]);
  });

  it('v1a: signs with ed25519, shows public keys alone, and rotates with an overlap too', async () => {
    const created = await create({ signature: 'v1a' });
    const { endpointId, publicKey: old } = created;
    expect(created).toMatchObject({ signature: 'v1a', publicKey: expect.stringMatching(/^whpk_/) });
    expect(created).not.toHaveProperty('secret');
    expect(verifiesV1a(old!, await send(endpointId!))).toBe(true);
    const rotated = await rotate(endpointId!, 3600);
    expect(rotated).not.toHaveProperty('secret');
    const during = await send(endpointId!);
    expect([verifiesV1a(old!, during), verifiesV1a(rotated.publicKey, during)]).toEqual([true, true]);
    const keys = async () => (await api.operator.get(`/endpoints/${endpointId}/public-key`).expect(200)).body;
    expect(await keys()).toEqual({
      publicKey: rotated.publicKey,
      keys: [
        { version: 2, publicKey: rotated.publicKey, liveUntil: null },
        { version: 1, publicKey: old, liveUntil: expect.any(String) },
      ],
    });
    aheadMs = HOUR_MS + 1_000;
    const after = await send(endpointId!);
    expect([verifiesV1a(old!, after), verifiesV1a(rotated.publicKey, after)]).toEqual([false, true]);
    expect((await keys()).keys).toMatchObject([{ version: 2 }]);
  });

  it('has a day of overlap unless told otherwise, and none when told so', async () => {
    const { endpointId } = await create();
    const before = Date.now();
    const { overlapping } = (await api.operator.post(`/endpoints/${endpointId}/rotate-secret`).expect(200)).body;
    const [{ liveUntil }] = overlapping as [{ liveUntil: string }];
    expect(Date.parse(liveUntil)).toBeGreaterThanOrEqual(before + 24 * HOUR_MS);
    expect(Date.parse(liveUntil)).toBeLessThanOrEqual(Date.now() + 24 * HOUR_MS);
    expect(await rotate(endpointId!, 0)).toMatchObject({ version: 3, overlapping: [] });
  });

  it('changes from v1 to v1a and back, with a secret of the right kind each time', async () => {
    const { endpointId, secret } = await create();
    const path = `/endpoints/${endpointId}`;
    const { body: changed } = await api.operator.patch(path, { signature: 'v1a' }).expect(200);
    expect(changed).toMatchObject({ signature: 'v1a', publicKey: expect.stringMatching(/^whpk_/) });
    expect(verifiesV1a(changed.publicKey as string, await send(endpointId!))).toBe(true);
    const { body: back } = await api.operator.patch(path, { signature: 'v1' }).expect(200);
    expect(back).toMatchObject({ signingSecretAlias: `endpoint-${endpointId}` });
    expect(back).not.toHaveProperty('secret');
    expect(verifies(secret!, await send(endpointId!))).toBe(true);
  });

  it('takes a key pair from outside by its alias, and refuses a secret that cannot sign so', async () => {
    const value = `whsk_${randomBytes(32).toString('base64')}`;
    const { body: put } = await api.operator.post('/secrets', { tenantId, alias: 'own.pair', value }).expect(201);
    expect(put).toEqual({ tenantId, alias: 'own.pair', version: 1 });
    const { endpointId } = await create({ signature: 'v1a', signingSecretAlias: 'own.pair' });
    const { body } = await api.operator.get(`/endpoints/${endpointId}/public-key`).expect(200);
    expect(verifiesV1a(body.publicKey as string, await send(endpointId!))).toBe(true);
    await api.operator.post('/secrets', { tenantId, alias: 'own.token', value: 'Bearer x' }).expect(201);
    for (const signingSecretAlias of ['own.pair', 'own.token']) {
      const refused = await api.operator.patch(`/endpoints/${endpointId}`, { signature: 'v1', signingSecretAlias });
      expect([refused.status, refused.body.errors?.[0].path]).toEqual([400, 'signingSecretAlias']);
    }
    await api.operator.post('/secrets', { tenantId, alias: 'own.pair' }).expect(409);
  });

  it('is revoked at once: nothing more is sent until a rotation brings a new one', async () => {
    const { endpointId, secret, signingSecretVersion } = await create();
    expect(signingSecretVersion).toBe(1);
    await send(endpointId!);
    const count = receiver.received.length;
    const path = `/secrets/endpoint-${endpointId}/versions/1`;
    await api
      .as((await api.tenantAdmin()).token)
      .delete(path)
      .expect(404);
    for (const call of [path, path, `${path}?tenantId=${tenantId}`]) {
      await api.operator.delete(call).expect(204);
    }
    for (const call of [`/secrets/endpoint-${endpointId}/versions/2`, `${path}?tenantId=${randomUUID()}`]) {
      await api.operator.delete(call).expect(404);
    }
    const revoked = (await api.ledger('secret-revoked')).map(({ detail }) => (detail as { alias: string }).alias);
    expect(revoked.filter((alias) => alias === `endpoint-${endpointId}`)).toHaveLength(1);
    const { body } = await api.operator.post(`/endpoints/${endpointId}/test`).expect(200);
    expect(body).toMatchObject({ delivered: false, errorClass: 'secret_unavailable' });
    expect(receiver.received).toHaveLength(count);
    const rotated = await rotate(endpointId!);
    const again = await send(endpointId!);
    expect([verifies(secret!, again), verifies(rotated.secret, again)]).toEqual([false, true]);
  });

  it('[KER-T] is revoked for the tenant that is named, where several use the alias', async () => {
    const other = await api.tenantAdmin();
    for (const owner of [tenantId, other.tenantId]) {
      await api.operator.post('/secrets', { tenantId: owner, alias: 'shared.name' }).expect(201);
    }
    const { body } = await api.operator.delete('/secrets/shared.name/versions/1').expect(400);
    expect(body.errors).toMatchObject([{ path: 'tenantId' }]);
    await other.client.delete(`/secrets/shared.name/versions/1?tenantId=${tenantId}`).expect(403);
    await other.client.delete('/secrets/shared.name/versions/1').expect(204);
    await api.operator.delete(`/secrets/shared.name/versions/1?tenantId=${tenantId}`).expect(204);
  });

  it('answers what cannot be: 409 for the public key of v1, 404 for unknown endpoints, 400 for a wrong overlap', async () => {
    const { endpointId } = await create();
    await api.operator.get(`/endpoints/${endpointId}/public-key`).expect(409);
    await api.operator.get(`/endpoints/${randomUUID()}/public-key`).expect(404);
    await api.operator.post(`/endpoints/${randomUUID()}/rotate-secret`).expect(404);
    for (const body of [{ overlapSeconds: -1 }, { overlapSeconds: 1.5 }, { overlapSeconds: '60' }, { overlap: 60 }]) {
      await api.operator.post(`/endpoints/${endpointId}/rotate-secret`, body).expect(400);
    }
    const { client } = await api.tenantAdmin();
    await client.post(`/endpoints/${endpointId}/rotate-secret`).expect(404);
    await client.get(`/endpoints/${endpointId}/public-key`).expect(404);
  });

  it('[KER-1] is told to the ledger by alias and version, never by value', async () => {
    const { endpointId, secret } = await create();
    const rotated = await rotate(endpointId!, 60);
    await api.operator.delete(`/secrets/endpoint-${endpointId}/versions/1`).expect(204);
    const alias = `endpoint-${endpointId}`;
    expect((await api.ledger('secret-rotated')).map(({ detail }) => detail)).toContainEqual({
      alias,
      version: 2,
      overlapping: [{ version: 1, liveUntil: expect.any(String) }],
    });
    expect((await api.ledger('secret-revoked')).map(({ detail }) => detail)).toContainEqual({ alias, version: 1 });
    const everything = JSON.stringify(await api.kernel.database.query('select * from kernel_ledger_entry'));
    for (const text of [secret!, rotated.secret]) {
      expect(everything).not.toContain(text.slice(6));
    }
  });
});
