import { Clock } from '@kernel/runtime';
import { OneTimeCode } from '../src/session/one-time-code.js';
import { AdminApi } from '@kernel/test-support/admin-api';

const TEN_MINUTES_MS = 600_000;

class MovableClock extends Clock {
  aheadMs = 0;

  override now(): Date {
    return new Date(Date.now() + this.aheadMs);
  }
}

describe('the session', () => {
  const clock = new MovableClock();
  let api: AdminApi;
  let code: OneTimeCode;
  beforeAll(async () => {
    api = await AdminApi.start({
      adminFailures: { limit: 6 },
      adapt: (builder) => builder.overrideProvider(Clock).useValue(clock),
    });
    code = api.kernel.app.get(OneTimeCode, { strict: false });
  });
  afterAll(() => api.close());

  it('tells whose token it is', async () => {
    expect((await api.operator.get('/session').expect(200)).body).toEqual({
      ...{ role: 'operator', tenantId: null, name: 'admin-token' },
    });
    const { client, tenantId } = await api.tenantAdmin();
    expect((await client.get('/session').expect(200)).body).toEqual({
      ...{ role: 'tenant-admin', tenantId, name: 'tenant admin' },
    });
  });

  it('is given for the one-time code: a token that ends within 12 hours, is in the ledger and can be revoked', async () => {
    const { body } = await api.as().post('/session', { code: code.issue() }).expect(201);
    expect(body).toEqual({ token: expect.stringMatching(/^keb_/), expiresAt: expect.stringMatching(/Z$/) });
    const client = api.as(body.token as string);
    expect((await client.get('/session').expect(200)).body).toMatchObject({ role: 'operator', name: 'console link' });

    const { body: list } = await api.operator.get('/tokens').expect(200);
    const listed = (list.items as Record<string, string>[]).find(({ name }) => name === 'console link')!;
    expect(listed).toMatchObject({ role: 'operator', createdBy: 'console link', expiresAt: body.expiresAt });
    const life = new Date(listed.expiresAt!).getTime() - new Date(listed.createdAt!).getTime();
    expect(Math.round(life / 3_600_000)).toBe(12);
    expect(await api.ledger('token-created')).toContainEqual(
      expect.objectContaining({
        actor: 'console link',
        detail: {
          tokenId: listed.tokenId,
          after: { name: 'console link', role: 'operator', expiresAt: body.expiresAt as string },
        },
      }),
    );

    await api.operator.delete(`/tokens/${listed.tokenId}`).expect(204);
    await client.get('/session').expect(401);
  });

  it('is given once for a code, for ten minutes, and for the newest code only; wrong ones are limited', async () => {
    const refused = async (given: string) => {
      const { body } = await api.as().post('/session', { code: given }).expect(401);
      expect(body).toMatchObject({
        type: 'urn:kernel:problem:code-refused',
        detail: expect.stringContaining('sign in with the admin token'),
      });
    };
    const used = code.issue();
    await api.as().post('/session', { code: used }).expect(201);
    await refused(used);

    const [replaced, newest] = [code.issue(), code.issue()];
    await refused(replaced);
    await refused('guessed');
    await api.as().post('/session', { code: newest }).expect(201);

    const old = code.issue();
    clock.aheadMs = TEN_MINUTES_MS;
    await refused(old);
    const tooMany = async () => (await api.as().post('/session', { code: 'guessed' })).status === 429;
    let answers = 0;
    while (!(await tooMany())) {
      expect(++answers).toBeLessThan(8);
    }
    await api.as().post('/session', { code: code.issue() }).expect(201);
  });

  it('takes nothing but a code', async () => {
    const before = await api.countRows();
    for (const body of [{}, { code: '' }, { code: 5 }, { code: 'x', token: 'y' }]) {
      const answer = await api.as().post('/session', body).expect(400);
      expect(answer.body).toMatchObject({ type: 'urn:kernel:problem:validation-failed' });
    }
    const { headers } = await api.as().post('/session', { code: 'guessed' });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
    expect(await api.countRows()).toEqual(before);
  });
});
