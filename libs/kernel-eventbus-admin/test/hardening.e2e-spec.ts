import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EventBusAdminModule } from '../src/eventbus-admin.module.js';
import { IdempotencyConflictError, IdempotencyKeyRequiredError, WebhookEndpointEntity } from '@kernel/eventbus';
import { ProblemFilter } from '@kernel/http';
import { waitFor } from '@kernel/eventbus/testing';
import { Controller, Get, UseFilters } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import pg from 'pg';
import request from 'supertest';
import { AdminPrincipal } from '../src/access/admin-principal.js';
import { ADMIN, AdminApi, OPERATOR_TOKEN } from '@kernel/test-support/admin-api';
import { TenantScope } from '@kernel/eventbus/engine';

const LIMIT = 5;

/**
 * Token lookups happen before a scope is known, and changes are watched for all tenants at once. All other reads, and
 * all changes but these, use the scope.
 */
const READERS = ['access/tenant-scope.ts', 'access/token-recognizer.ts', 'live/delivery-watch.ts'];
const WRITERS = ['management/endpoints/endpoint-pinger.ts', 'tokens/token-issuer.ts'];

@Controller('host')
class HostController {
  @Get()
  answer() {
    return 'mine';
  }

  @Get('conflict')
  @UseFilters(ProblemFilter)
  conflict() {
    throw new IdempotencyConflictError('key-1', randomUUID(), ['payload']);
  }

  @Get('keyless')
  @UseFilters(ProblemFilter)
  keyless() {
    throw new IdempotencyKeyRequiredError('t.v1');
  }
}
class HostModule {}

describe('the admin API hardened', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start({
      adminFailures: { limit: LIMIT, windowMs: 3_600_000 },
      adminReadTimeoutMs: 3_000,
      imports: [EventBusAdminModule, { module: HostModule, controllers: [HostController] }],
      // A host with a larger body limit than ours and no filter of its own.
      configure: (app) => (app as NestExpressApplication).useBodyParser('json', { limit: '5mb' }),
    });
  });
  afterAll(() => api.close());

  it('answers 429 to too many wrong tokens, and lets valid ones in all the while', async () => {
    const { client } = await api.tenantAdmin();
    for (let n = 0; n < LIMIT; n++) {
      await api.as(`keb_wrong-${n}`).get('/endpoints').expect(401);
    }
    const { body, headers } = await api.as('keb_one-too-many').get('/endpoints').expect(429);
    expect(body).toMatchObject({
      type: 'urn:kernel:problem:too-many-failures',
      status: 429,
      title: 'Too Many Requests',
    });
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_000);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(3_600);

    await api.operator.get('/endpoints').expect(200);
    await client.get('/endpoints').expect(200);
    await api.as(undefined).get('/endpoints').expect(401);
    await api.as('keb_still-wrong').get('/endpoints').expect(429);

    const { client: newcomer } = await api.tenantAdmin();
    await newcomer.get('/endpoints').expect(200);
  });

  it('does not ask the database for every wrong token beyond the limit, while those that were valid get in', async () => {
    const { client } = await api.tenantAdmin();
    await client.get('/endpoints').expect(200);
    for (let n = 0; n < LIMIT; n++) {
      await api.as(`keb_wrong-${n}`).get('/endpoints');
    }
    // Token lookups wait for this lock.
    const lock = new pg.Client({ connectionString: api.kernel.database.url });
    await lock.connect();
    try {
      await lock.query('begin; lock table kernel_admin_token');
      let refused = 0;
      const flood = Array.from({ length: 30 }, async (_, n) => {
        await api.as(`keb_flood-${n}`).get('/endpoints').expect(429);
        refused++;
      });
      await waitFor(() => refused === 26, 'those that have no turn');
      const looks = () =>
        api.kernel.database.query(
          `select from pg_locks where not granted and relation = 'kernel_admin_token'::regclass`,
        );
      await waitFor(async () => (await looks()).length === 1, 'one to ask the database');
      expect(await looks()).toHaveLength(1);
      const known = client
        .get('/endpoints')
        .expect(200)
        .then(() => 'in');
      await lock.query('commit');
      expect(await known).toBe('in');
      await Promise.all(flood);
      expect(refused).toBe(30);
    } finally {
      await lock.end();
    }
  });

  const guarded = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };

  it('sends security headers with every answer, good or bad', async () => {
    for (const answer of [
      await api.operator.get('/endpoints').expect(200),
      await api.operator.get(`/endpoints/${randomUUID()}`).expect(404),
      await api.operator.post('/endpoints', { nonsense: true }).expect(400),
      await api.as(undefined).get('/endpoints').expect(401),
    ]) {
      expect(answer.headers).toMatchObject(guarded);
    }
  });

  it("leaves the host's own routes alone", async () => {
    const { headers } = await request(api.url).get('/host').expect(200, 'mine');
    expect(Object.keys(headers).filter((name) => name in guarded)).toEqual([]);
  });

  it.each([
    ['/host/conflict', 409, 'event-idempotency-conflict'],
    ['/host/keyless', 400, 'event-idempotency-key-required'],
  ])('[KFM-5] answers %s with %d: what the publisher can help is no fault of ours', async (path, status, code) => {
    const { body } = await request(api.url).get(path).expect(status);
    expect(body).toMatchObject({
      ...{ type: `urn:kernel:problem:${code}`, status },
      detail: expect.stringMatching(/key/i),
    });
  });

  it.each([
    ['with its length', (text: string): RequestInit => ({ body: text })],
    ['in chunks', (text: string): RequestInit => ({ body: new Blob([text]).stream(), duplex: 'half' })],
    ['compressed', (text: string): RequestInit => ({ body: gzipSync(text), headers: { 'content-encoding': 'gzip' } })],
  ])('answers 413 to a body over 1 MiB, %s, and writes nothing', async (_, bodyOf) => {
    const { headers, ...init } = bodyOf(JSON.stringify({ tenantId: randomUUID(), alias: 'x'.repeat(1_100_000) }));
    const before = await api.countRows();
    const response = await fetch(`${api.url}${ADMIN}/secrets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json', ...headers },
      ...init,
    });
    expect(response.status).toBe(413);
    expect(response.headers.get('content-type')).toMatch('application/problem+json');
    expect(await response.json()).toMatchObject({ type: 'urn:kernel:problem:body-too-large' });
    expect(await api.countRows()).toEqual(before);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded'])('answers 415 to a body of %s', async (type) => {
    const before = await api.countRows();
    const call = api.operator.post('/secrets').type(type).send(`tenantId=${randomUUID()}&alias=billing`);
    const { body } = await call.expect(415);
    expect(body).toMatchObject({
      type: 'urn:kernel:problem:unsupported-body',
      detail: expect.stringContaining('send JSON in UTF-8'),
    });
    expect(await api.countRows()).toEqual(before);
  });

  it('tells nothing of the inside when something breaks', async () => {
    await api.kernel.database.query('alter table kernel_admin_token rename to away');
    try {
      const { text } = await api.as('keb_any').get('/endpoints').expect(500);
      expect(JSON.parse(text)).toEqual({
        type: 'urn:kernel:problem:internal-error',
        title: 'Internal Server Error',
        status: 500,
        detail: 'something went wrong on our side',
        traceId: expect.any(String),
      });
    } finally {
      await api.kernel.database.query('alter table away rename to kernel_admin_token');
    }
  });

  it('[KER-T] scopes what is read in one place: a query that forgets its tenant finds none but its own', async () => {
    const { tenantId } = await api.tenantAdmin();
    const mine = await api.createEndpoint(tenantId);
    const { endpointId } = await api.createEndpoint(randomUUID());
    const scope = api.kernel.app.get(TenantScope, { strict: false });
    const admin = new AdminPrincipal({ actor: 'acme', role: 'tenant-admin', tenantId });
    const rows = await scope.read(admin, (em) => em.find(WebhookEndpointEntity, {}));
    expect(rows.map((row) => row.endpointId)).toEqual([mine.endpointId]);
    expect(await scope.read(admin, (em) => em.findOne(WebhookEndpointEntity, { endpointId }))).toBeNull();
    await expect(
      scope.read(admin, (em) => em.execute('update kernel_webhook_endpoint set is_enabled = false')),
    ).rejects.toThrow('read-only transaction');

    const operator = new AdminPrincipal({ actor: 'ops', role: 'operator', tenantId: null });
    expect(await scope.read(operator, (em) => em.count(WebhookEndpointEntity))).toBe(2);
  });

  it("ends a look of a tenant's admin that takes the database too long, and says how to ask for less", async () => {
    const { client } = await api.tenantAdmin();
    const lock = new pg.Client({ connectionString: api.kernel.database.url });
    await lock.connect();
    try {
      await lock.query('begin; lock table kernel_ledger_entry');
      const { body } = await client.get('/audit').expect(503);
      expect(body).toMatchObject({
        type: 'urn:kernel:problem:took-too-long',
        detail: expect.stringContaining('since, kind, eventId'),
      });
    } finally {
      await lock.end();
    }
    await client.get('/audit').expect(200);
  });

  it('[KER-T] has nothing that reads past that place: who has an EntityManager writes with it, in a transaction', async () => {
    const ADMIN_SOURCES = join(import.meta.dirname, '../src');
    const ENGINE_SOURCES = join(import.meta.dirname, '../../kernel-eventbus/src');
    const sourcesIn = async (folder: string, isScanned: (name: string) => boolean) => {
      const names = (await readdir(folder, { recursive: true })).filter((name) => /(?<!\.spec)\.ts$/.test(name));
      return Promise.all(
        names.filter(isScanned).map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
      );
    };
    const sources = [
      ...(await sourcesIn(ADMIN_SOURCES, () => true)),
      ...(await sourcesIn(ENGINE_SOURCES, (name) => /^(?:access|management)\//.test(name))),
    ];
    const holders = sources.filter(([, source]) => /constructor\([^)]*: (?:EntityManager|MikroORM)\b/.test(source));
    expect(holders.map(([name]) => name).sort()).toEqual([...READERS, ...WRITERS].sort());
    for (const [name, source] of holders.filter(([holder]) => WRITERS.includes(holder))) {
      const uses = source.match(/.*\bthis\.em\b.*/g) ?? [];
      const isWrite = (line: string) => /readCommitted\(this\.em, |appendEntries\(this\.em\b/.test(line);
      expect([name, uses.length > 0, uses.filter((line) => !isWrite(line))]).toEqual([name, true, []]);
    }
  });
});
