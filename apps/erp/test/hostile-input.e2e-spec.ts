import { gzipSync } from 'node:zlib';
import { writeJson } from '@kernel/privacy';
import fc from 'fast-check';
import pg from 'pg';
import { hostileBody, nested } from '@kernel/test-support/hostile-json';
import { hostileRequests, type ApiDocument } from '@kernel/test-support/hostile-requests';
import { newInvoice, SETTINGS, startTestErp } from '@kernel/test-support/start-test-erp';

const ADMIN = '/admin/eventbus';
const authorization = `Bearer ${SETTINGS.adminToken}`;

// Started here and not in beforeAll: jest needs the test names, and so the routes, before the first test runs.
const erp = await startTestErp();
const document = (await erp.request('GET', '/docs-json')).body as unknown as ApiDocument;
const routes = Object.entries(document.paths)
  .flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ verb: verb.toUpperCase(), path, operation })),
  )
  // Deletes come last, because the other routes need the rows.
  .toSorted((one, other) => Number(one.verb === 'DELETE') - Number(other.verb === 'DELETE'));

const unhandled: unknown[] = [];
const noteUnhandled = (reason: unknown) => unhandled.push(reason);

describe('hostile input', () => {
  let observer: pg.Client;
  let fingerprint: string;
  let knownIds: string[];
  beforeAll(async () => {
    process.on('unhandledRejection', noteUnhandled);
    observer = new pg.Client({ connectionString: erp.database.url });
    await observer.connect();
    fingerprint = await fingerprintStatement(observer);
    knownIds = await makeThings();
  });
  afterAll(async () => {
    await observer.end();
    await erp.close();
    process.off('unhandledRejection', noteUnhandled);
  });

  const send = async (
    method: string,
    path: string,
    body?: string | Buffer,
    headers: Record<string, string> = {},
    isChunked = false,
  ) => {
    const sent: RequestInit = {
      body: isChunked ? new Blob([body as string]).stream() : (body as string),
      duplex: 'half',
    };
    const response = await fetch(erp.url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && method !== 'GET' && sent),
    });
    const type = response.headers.get('content-type') ?? '';
    // An event stream would never end.
    const text = type.includes('event-stream') ? await response.body!.cancel().then(() => '') : await response.text();
    return { status: response.status, type, text };
  };
  /** A fingerprint of the whole database: it changes with any row of any table. */
  const readState = async () => JSON.stringify((await observer.query(fingerprint)).rows);

  const expectNoHarm = async (request: ReturnType<typeof send>, before: string) => {
    const { status, type, text } = await request;
    expect(status).toBeLessThan(500);
    expect(text).not.toMatch(/node_modules|\.[jt]s:\d+|at \w+ \(|select |insert into/i);
    if (status >= 400) {
      expect(type).toContain('application/problem+json');
      expect(await readState()).toBe(before);
    }
    return status;
  };

  it.each(routes)(
    '[KER-6] $verb $path never fails, and what it refuses it has not begun',
    async ({ verb, path, operation }) => {
      const { filledPath, query, body } = hostileRequests(document, path, operation, knownIds);
      const request = fc.record({ target: filledPath, query, body });
      await fc.assert(
        fc.asyncProperty(request, fc.boolean(), async ({ target, query: search, body: text }, isChunked) => {
          await expectNoHarm(send(verb, target + search, text, {}, isChunked), await readState());
        }),
        { numRuns: verb === 'GET' ? 4 : 8 },
      );
    },
  );

  it.each([
    ['a body that is not gzip', { 'content-encoding': 'gzip' }, Buffer.from('{}'), 400],
    ['a gzip bomb', { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(64 * 1_024 * 1_024, ' ')), 413],
    ['an unknown compression', { 'content-encoding': 'snappy' }, Buffer.from('{}'), 415],
    ['an unknown character set', { 'content-type': 'application/json; charset=klingon' }, Buffer.from('{}'), 415],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, Buffer.from('tenantId=1'), 415],
    ['plain text', { 'content-type': 'text/plain' }, Buffer.from('{}'), 415],
    ['bytes that are not UTF-8', {}, Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 400],
    ['a content type that is none', { 'content-type': ';;;' }, Buffer.from('{}'), 415],
  ])('[KER-6] refuses %s on every route that takes a body', async (_what, headers, body, status) => {
    const before = await readState();
    for (const path of ['/invoices', `${ADMIN}/endpoints`, `${ADMIN}/tokens`]) {
      expect(await expectNoHarm(send('POST', path, body, headers), before)).toBe(status);
    }
  });

  it.each([
    ['PUT', `/policies/t.v1`, (deep: string) => `{"rules":[{"path":"$.a","action":${deep}}]}`],
    ['POST', '/endpoints', (deep: string) => `{"subscriptions":[{"type":"t","predicates":[{"operator":${deep}}]}]}`],
    ['POST', '/endpoints', (deep: string) => `{"headers":{"x-a":${deep}}}`],
    ['POST', '/tokens', (deep: string) => deep],
  ])('[KER-6] refuses %s %s with JSON deeper than the stack, at once or in chunks', async (verb, path, bodyWith) => {
    const before = await readState();
    for (const isChunked of [false, true]) {
      const body = bodyWith(writeJson(nested(100_000)));
      expect(await expectNoHarm(send(verb, ADMIN + path, body, {}, isChunked), before)).toBe(400);
    }
  });

  it('[KER-6] takes nothing from those who show no token', async () => {
    const admin = routes.filter(({ path }) => path.startsWith(ADMIN));
    expect(admin.length).toBeGreaterThan(20);
    const before = await readState();
    for (const { verb, path } of admin) {
      const [body] = fc.sample(hostileBody, 1);
      const status = await expectNoHarm(
        send(verb, path.replaceAll(/\{\w+\}/g, 'x'), body, { authorization: '' }),
        before,
      );
      expect([400, 401]).toContain(status);
    }
  });

  it('[KER-6] is up and sound after all that', async () => {
    expect((await send('GET', '/health/ready')).status).toBe(200);
    expect((await erp.request('POST', '/invoices', newInvoice(erp.tenantId))).status).toBe(201);
    expect(unhandled).toEqual([]);
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
  });
});

/** One of each kind, for requests that pass the id lookup. */
async function makeThings(): Promise<string[]> {
  const { body: invoice } = await erp.request('POST', '/invoices', newInvoice(erp.tenantId));
  const endpoint = { tenantId: erp.tenantId, url: 'http://127.0.0.1:9/', subscribedTypes: ['invoice.created.v1'] };
  const { body: created } = await erp.request('POST', `${ADMIN}/endpoints`, endpoint, { authorization });
  const token = { name: 'other', role: 'operator' };
  const { body: issued } = await erp.request('POST', `${ADMIN}/tokens`, token, { authorization });
  const [event] = await erp.events();
  const { endpointId } = created as unknown as { endpointId: string };
  const [delivery] = await erp.database.query<{ delivery_id: string }>(
    `insert into kernel_webhook_delivery (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, status,
       next_attempt_at, dispatched_at)
     values (gen_random_uuid(), $1, $2, $3, $4, 'trace-0001', 'DLQ', clock_timestamp(), clock_timestamp())
     returning delivery_id`,
    [erp.tenantId, endpointId, event!.event_id, event!.type],
  );
  const { tokenId } = issued as unknown as { tokenId: string };
  return [erp.tenantId, invoice.invoiceId, endpointId, tokenId, event!.event_id as string, delivery!.delivery_id];
}

/** Counters are written here every few seconds, independent of the requests. */
const WRITTEN_IN_THE_BACKGROUND = ['kernel_activity'];

async function fingerprintStatement(observer: pg.Client): Promise<string> {
  const { rows } = await observer.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> all($1)`,
    [WRITTEN_IN_THE_BACKGROUND],
  );
  const parts = rows.map(
    ({ name }) => `select '${name}' as name, count(*) as n, sum(hashtextextended(t::text, 0)) as rows from ${name} t`,
  );
  return parts.join(' union all ');
}
