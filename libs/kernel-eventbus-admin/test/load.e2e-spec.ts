import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ADMIN, AdminApi, readAllPages, type AdminClient } from '@kernel/test-support/admin-api';
import { adminReads, adminWrites, type AdminRequest } from '@kernel/test-support/admin-requests';
import { findKnownIds, type KnownIds } from '@kernel/test-support/known-ids';
import {
  COMMON_TYPE,
  fillLargeTenancy,
  LARGE_TENANT,
  SMALL_STREAM,
  SMALL_TENANT,
} from '@kernel/test-support/large-tenancy.sql';
import { ExplainedTestDatabase } from '@kernel/test-support/statement-plans';

const SIZES = { tenants: 10_000, endpoints: 1_000, events: 100_000, ledger: 300_000 };
/** A search reads 20,000 rows, or the day's partition that they are in. The tables have 100,000 and 300,000. */
const MAX_ROWS = 35_000;
/**
 * A kind that is in the index of a tenant's entries is not searched in parts. For a tenant with many entries the
 * planner may walk the primary key to find some of the kind.
 */
const MAX_ROWS_OF_KIND = 150_000;
/** Of 8 KB. The ledger has about 7,000 at this size, its indexes as many. */
const MAX_BLOCKS = 20_000;
const PAGES = 3;

/** They read the whole ledger by design, batch by batch. `loop-hold` and the ledger's suites cover their batches. */
const WHOLE_LEDGER = ['GET /audit/export', 'POST /audit/verify'];
/** Its reads are those of `GET /stats`, and `findChanges`, which `scale` covers. Signing in reads one token. */
const NOT_REQUESTED = ['GET /stream', 'POST /session'];

interface Caller {
  client: AdminClient;
  isOperator: boolean;
  /** Added to queries of routes that take it. */
  tenantId?: string;
}

describe('with 10,000 tenants, 1,000 endpoints in one of them, and a long ledger', () => {
  let explained: ExplainedTestDatabase;
  let api: AdminApi;
  let document: OpenAPIObject;
  let ids: KnownIds;
  let callers: Record<string, Caller>;
  beforeAll(async () => {
    explained = await ExplainedTestDatabase.create();
    const { database } = explained;
    await fillLargeTenancy((statement) => database.query(statement), SIZES);
    api = await AdminApi.start({ database });
    document = SwaggerModule.createDocument(api.kernel.app, new DocumentBuilder().build());
    const made = await api.createEndpoint(LARGE_TENANT, { signature: 'v1a', subscribedTypes: [COMMON_TYPE] });
    ids = await findKnownIds((statement) => database.query(statement), made);
    callers = {
      'an operator': { client: api.operator, isOperator: true },
      'an operator for the large tenant': { client: api.operator, isOperator: true, tenantId: LARGE_TENANT },
      'an operator for a small tenant': { client: api.operator, isOperator: true, tenantId: SMALL_TENANT },
      'the admin of the large tenant': { client: (await api.tenantAdmin(LARGE_TENANT)).client, isOperator: false },
      'the admin of a small tenant': { client: (await api.tenantAdmin(SMALL_TENANT)).client, isOperator: false },
    };
  }, 300_000);
  afterAll(async () => {
    await api?.close();
    await explained.database.drop();
  });

  it('every route and every filter of the document is requested', () => {
    const requests = [...adminReads(ids), ...adminWrites(ids)];
    const requested = requests.flatMap(({ route, query }) => [
      route,
      ...Object.keys(query).map((name) => `${route} ${name}`),
    ]);
    const documented = routesOf(document).flatMap(({ route, parameters }) =>
      NOT_REQUESTED.includes(route) ? [] : [route, ...parameters.map((name) => `${route} ${name}`)],
    );
    const byCaller = / (tenantId|cursor|limit)$/;
    expect(documented.filter((name) => !byCaller.test(name) && !requested.includes(name))).toEqual([]);
    expect(requests.map(({ route }) => route).filter((route) => !documented.includes(route))).toEqual([]);
  });

  const names = [
    'an operator',
    'an operator for the large tenant',
    'an operator for a small tenant',
    'the admin of the large tenant',
    'the admin of a small tenant',
  ];
  it.each(names)(
    '%s gets each page without reading a table',
    async (name) => {
      const caller = callers[name]!;
      const excesses = [];
      for (const request of adminReads(ids).filter(({ route }) => !WHOLE_LEDGER.includes(route))) {
        excesses.push(...(await excessesOf(caller, withTenant(request, caller))));
      }
      expect(excesses).toEqual([]);
    },
    300_000,
  );

  it('a search in parts finds everything, and no part twice', async () => {
    const { client } = callers['the admin of a small tenant']!;
    const { items, pages } = await readAllPages(client, '/audit', {});
    const written = await explained.database.query<{ entry_id: string }>(
      `select entry_id from kernel_ledger_entry where tenant_id = '${SMALL_TENANT}' order by entry_id desc`,
    );
    expect([...new Set(items.map(({ entryId }) => entryId))]).toEqual(written.map((row) => row.entry_id));
    expect(pages).toBeGreaterThan(SIZES.ledger / 25_000);
    for (const path of ['/events', '/deliveries']) {
      expect((await readAllPages(api.operator, path, { streamKey: SMALL_STREAM })).items).toHaveLength(1);
    }
  }, 120_000);

  it('no route that writes reads a table', async () => {
    const excesses = [];
    for (const request of adminWrites(ids)) {
      excesses.push(...(await excessesOf(callers['an operator']!, request)));
    }
    expect(excesses).toEqual([]);
  }, 120_000);

  /** The statements of the first pages that read too much. */
  async function excessesOf({ client, isOperator }: Caller, request: AdminRequest): Promise<string[]> {
    const excesses: string[] = [];
    let cursor: string | undefined;
    for (let page = 1; page <= PAGES && (page === 1 || cursor); page++) {
      const query: Record<string, string> = { ...request.query, ...(cursor && { cursor }) };
      const reads = await explained.during(async () => {
        const { status, body } = await send(client, { ...request, query });
        cursor = (body.nextCursor as string | null) ?? undefined;
        if (status >= 500 || (isOperator && status >= 400 && status !== 404)) {
          excesses.push(`${request.route} ${JSON.stringify(query)} answered ${status}: ${JSON.stringify(body)}`);
        }
      });
      const maxRows = query.kind && !query.endpointId ? MAX_ROWS_OF_KIND : MAX_ROWS;
      for (const { rows, blocks, workers, text } of reads) {
        if (rows > maxRows || blocks > MAX_BLOCKS || workers > 0) {
          const figures = `${rows} rows, ${blocks} blocks, ${workers} workers`;
          excesses.push(`${request.route} ${JSON.stringify(query)} read ${figures}: ${text.replaceAll(/\s+/g, ' ')}`);
        }
      }
    }
    return excesses;
  }

  /** The request for the caller's tenant, if its route takes one. */
  function withTenant(request: AdminRequest, { tenantId }: Caller): AdminRequest {
    const takesTenant = routesOf(document).some(
      ({ route, parameters }) => route === request.route && parameters.includes('tenantId'),
    );
    return takesTenant && tenantId ? { ...request, query: { ...request.query, tenantId } } : request;
  }
});

function routesOf(document: OpenAPIObject): { route: string; parameters: string[] }[] {
  return Object.entries(document.paths)
    .filter(([path]) => path.startsWith(ADMIN))
    .flatMap(([path, item]) =>
      Object.entries(item as Record<string, { parameters?: { name: string; in: string }[] }>).map(
        ([verb, operation]) => ({
          route: `${verb.toUpperCase()} ${path.slice(ADMIN.length)}`,
          parameters: (operation.parameters ?? []).filter((given) => given.in === 'query').map((given) => given.name),
        }),
      ),
    );
}

function send(client: AdminClient, { route, path, query, body }: AdminRequest) {
  const method = route.split(' ')[0]!.toLowerCase() as 'get' | 'post' | 'patch' | 'put' | 'delete';
  const target = `${path}?${new URLSearchParams(query).toString()}`;
  return method === 'get' || method === 'delete' ? client[method](target) : client[method](target, body);
}
