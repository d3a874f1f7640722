import { randomUUID } from 'node:crypto';
import { rotateMasterKey, MasterKey } from '@kernel/secrets';
import type { LoggerService } from '@nestjs/common';
import pg from 'pg';
import { AdminApi } from '@kernel/test-support/admin-api';
import { TEST_MASTER_KEY } from '@kernel/test-support/kernel-app';
import { AdminPrincipal } from '../src/access/admin-principal.js';
import { generateToken, hashToken } from '../src/access/bearer-token.js';
import { TokenIssuer } from '../src/tokens/token-issuer.js';

class Warnings implements LoggerService {
  readonly lines: string[] = [];
  warn(message: unknown): void {
    this.lines.push(JSON.stringify(message));
  }
  log(): void {}
  error(): void {}
}

describe('SQL executed as the app', () => {
  const warnings = new Warnings();
  let api: AdminApi;
  let app: pg.Client;
  beforeAll(async () => {
    api = await AdminApi.start({ nest: { logger: warnings } });
    app = new pg.Client({ connectionString: api.kernel.database.appUrl });
    await app.connect();
  });
  afterAll(async () => {
    await app.end();
    await api.close();
  });

  const issue = async (body: object = { name: 'ops', role: 'operator' }) =>
    (await api.operator.post('/tokens', body).expect(201)).body as { tokenId: string; token: string };
  const insert = (token: string, columns: string, values: string) =>
    app.query(
      `insert into kernel_admin_token (token_id, name, role, token_hash, created_by${columns})
       values ($1, 'forged', 'operator', $2, 'nobody'${values})`,
      [randomUUID(), hashToken(token)],
    );

  it('issues no token: a row that the application did not seal is unknown, and the log says so once', async () => {
    const token = generateToken();
    await insert(token, '', '');
    await api.as(token).get('/endpoints').expect(401);
    await api.as(token).get('/endpoints').expect(401);
    const said = warnings.lines.filter((line) => line.includes('not issued by the application'));
    expect(said).toHaveLength(1);
    expect(said[0]).not.toContain(token);
    expect(said[0]).not.toContain(hashToken(token));
  });

  it('issues no token with the seal of another, nor with a seal of any length', async () => {
    const { tokenId } = await issue();
    for (const seal of [`(select seal from kernel_admin_token where token_id = '${tokenId}')`, `''`, `'\\x00'`]) {
      const token = generateToken();
      await insert(token, ', seal', `, ${seal}`);
      await api.as(token).get('/endpoints').expect(401);
    }
  });

  it.each([
    [`role = 'operator', tenant_id = null`],
    [`tenant_id = gen_random_uuid()`],
    [`expires_at = now() + interval '1 year'`],
    [`token_id = gen_random_uuid()`],
    ['seal = null'],
  ])('a row that was changed by another way is unknown: %s', async (change) => {
    const { tokenId, token } = await issue({ name: 'acme', role: 'tenant-admin', tenantId: randomUUID() });
    await api.as(token).get('/endpoints').expect(200);
    await expect(app.query(`update kernel_admin_token set ${change}`)).rejects.toMatchObject({ code: '42501' });
    await api.kernel.database.query(`update kernel_admin_token set ${change} where token_id = $1`, [tokenId]);
    await api.as(token).get('/endpoints').expect(401);
  });

  it('revives no revoked token, and sets no time of revocation', async () => {
    const { tokenId, token } = await issue();
    await app.query(`update kernel_admin_token set revoked_at = now() + interval '1 year' where token_id = $1`, [
      tokenId,
    ]);
    const [row] = await api.kernel.database.query<{ isNow: boolean }>(
      `select abs(extract(epoch from clock_timestamp() - revoked_at)) < 3600 as "isNow" from kernel_admin_token
       where token_id = $1`,
      [tokenId],
    );
    expect(row).toEqual({ isNow: true });
    for (const value of ['null', 'now()', `'infinity'`]) {
      await expect(
        app.query(`update kernel_admin_token set revoked_at = ${value} where token_id = $1`, [tokenId]),
      ).rejects.toThrow('is revoked');
    }
    await api.as(token).get('/endpoints').expect(401);
  });

  it.each(['created_at', 'revoked_at'])('sets no %s of a new row', async (column) => {
    await expect(insert(generateToken(), `, ${column}`, `, 'infinity'`)).rejects.toMatchObject({ code: '42501' });
  });

  it('breaks no list of tokens by an endless time', async () => {
    await expect(insert(generateToken(), `, expires_at`, `, 'infinity'`)).rejects.toMatchObject({ code: '23514' });
    await api.operator.get('/tokens').expect(200);
  });

  it('tokens end at their time, and outlive a rotation of the master key', async () => {
    const issuer = api.kernel.app.get(TokenIssuer, { strict: false });
    const principal = new AdminPrincipal({ actor: 'test', role: 'operator', tenantId: null });
    const request = { name: 'short', role: 'operator' as const };
    const [over, open] = await Promise.all(
      [0, 600].map((expiresInSeconds) => issuer.issue(principal, request, { expiresInSeconds })),
    );
    const before = warnings.lines.length;
    await api.as(over!.token).get('/endpoints').expect(401);
    expect(warnings.lines).toHaveLength(before);
    await api.as(open!.token).get('/endpoints').expect(200);

    const to = Buffer.alloc(32, 7).toString('base64');
    await rotateMasterKey(api.kernel.em.fork(), {
      from: MasterKey.fromBase64(TEST_MASTER_KEY),
      to: MasterKey.fromBase64(to),
    });
    const rotated = await AdminApi.start({ database: api.kernel.database, masterKey: to });
    try {
      await rotated.as(open!.token).get('/endpoints').expect(200);
    } finally {
      await rotated.close();
    }
  });
});
