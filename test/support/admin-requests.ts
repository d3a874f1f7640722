import type { KnownIds } from './known-ids.ts';
import {
  COMMON_TYPE,
  ERROR_CLASS,
  LARGE_ENDPOINT,
  LARGE_STREAM,
  LARGE_TENANT,
  LARGE_TRACE,
  RARE_TYPE,
  SMALL_STREAM,
  SMALL_TRACE,
} from './large-tenancy.sql.ts';

export interface AdminRequest {
  /** As in the OpenAPI document, e.g. `GET /events/{id}`. */
  route: string;
  /** Below `/admin/eventbus`, without the query. */
  path: string;
  query: Record<string, string>;
  body?: unknown;
}

type Query = Record<string, string>;

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const reason = 'a measurement';
const rules = [{ path: '$.total', action: 'keep' }];

/** One request for each filter of each route that reads. Their cursors lead to the later pages. */
export function adminReads(ids: KnownIds): AdminRequest[] {
  const { eventId, deliveryId } = ids;
  const times: Query[] = [{ since: ago(2) }, { until: ago(100) }, { since: ago(100), until: ago(99) }];
  const streams: Query[] = [{ streamKey: SMALL_STREAM }, { streamKey: LARGE_STREAM }];
  const traces: Query[] = [{ traceId: SMALL_TRACE }, { traceId: LARGE_TRACE }];
  const types: Query[] = [{ type: COMMON_TYPE }, { type: RARE_TYPE }];
  const endpointId = LARGE_ENDPOINT;
  return [
    ...list('/audit', [
      ...[{}, { eventId }, { deliveryId }, { endpointId }, ...traces, ...times],
      ...['published', 'attempt', 'delivered', 'dead-lettered', 'endpoint-updated'].map((kind) => ({ kind })),
      ...[{ endpointId, kind: 'dead-lettered' }, { traceId: LARGE_TRACE, kind: 'attempt' }, { limit: '200' }],
      { deliveryId: '01000000-0000-7000-8000-000000000000' },
    ]),
    ...list('/audit/export', [{}]),
    ...list('/deliveries', [
      ...[{}, { eventId }, { endpointId }, ...streams, ...traces, ...types, ...times],
      ...['PENDING', 'FAILED', 'DELIVERED', 'DLQ'].map((status) => ({ status })),
      ...[{ errorClass: ERROR_CLASS }, { errorClass: ERROR_CLASS, status: 'DLQ' }, { errorClass: 'unheard-of' }],
      ...[
        { status: 'DLQ', type: RARE_TYPE },
        { endpointId, status: 'DLQ' },
        { endpointId, type: RARE_TYPE },
      ],
      ...[{ status: 'DELIVERED', streamKey: LARGE_STREAM }, { limit: '200' }],
    ]),
    ...list('/deliveries/groups', [{}]),
    ...list('/endpoints', [{}, { limit: '200' }]),
    ...list('/endpoints/health', [{}]),
    ...list('/events', [
      ...[{}, { eventId }, ...streams, ...traces, ...types, ...times, { status: 'PENDING' }, { status: 'PUBLISHED' }],
      ...[{ streamKey: LARGE_STREAM, type: RARE_TYPE }, { limit: '200' }],
    ]),
    ...list('/lanes', [{}, { endpointId }, { blocked: 'true' }, { blocked: 'false' }, { endpointId, blocked: 'true' }]),
    ...list('/operations', [
      ...[{}, { endpointId }],
      ...['pending', 'running', 'completed', 'failed', 'cancelled'].map((state) => ({ state })),
    ]),
    ...list('/partitions', [{}]),
    ...list('/policies', [{}]),
    ...list('/session', [{}]),
    ...list('/stats', [{ window: '1h' }, { window: '24h' }, { window: '7d' }, { endpointId }]),
    ...list('/tenants', [{}, { limit: '200' }]),
    ...list('/tokens', [{}]),
    ...one('GET', '/deliveries/{id}', deliveryId),
    ...one('GET', '/deliveries/{id}/body', deliveryId, { query: { attempt: '2' } }),
    ...one('GET', '/deliveries/{id}/body', deliveryId, { query: { bodySha256: '0'.repeat(64) } }),
    ...one('GET', '/endpoints/{id}', endpointId),
    ...one('GET', '/endpoints/{id}/public-key', ids.endpointId),
    ...one('GET', '/events/{id}', eventId),
    ...one('GET', '/operations/{id}', ids.operationId),
    ...one('POST', '/events/{id}/preview', eventId, {}),
    ...one('POST', '/endpoints/{id}/dry-run', endpointId, { body: {} }),
    ...one('POST', '/endpoints/{id}/dry-run', endpointId, { body: { since: ago(100) } }),
    request('POST /endpoints/dry-run', { tenantId: LARGE_TENANT, subscribedTypes: [COMMON_TYPE] }),
    request('POST /policies/{eventType}/preview', { rules, eventId }, `/policies/${COMMON_TYPE}/preview`),
    ...dryRuns(ids),
    request('POST /prune', { dryRun: true }),
    request('POST /audit/verify', {}),
  ];
}

/** Counts of what an operation would be about. */
function dryRuns(ids: KnownIds): AdminRequest[] {
  const dryRun = true;
  const filters = [
    { status: 'DLQ' },
    { status: 'DLQ', type: RARE_TYPE },
    { status: 'DLQ', errorClass: 'unheard-of' },
    { endpointId: LARGE_ENDPOINT },
    { endpointId: LARGE_ENDPOINT, status: 'DLQ' },
    { tenantId: LARGE_TENANT, status: 'DLQ' },
    { since: ago(2) },
    { type: RARE_TYPE, since: ago(2) },
  ];
  return [
    ...filters.map((filter) => request('POST /deliveries/replay', { filter, reason, dryRun })),
    ...one('POST', '/endpoints/{id}/recover', LARGE_ENDPOINT, { body: { since: ago(100), reason, dryRun } }),
    ...one('POST', '/endpoints/{id}/replay-missing', ids.endpointId, { body: { since: ago(2), reason, dryRun } }),
  ];
}

/** One request for each route that writes. */
export function adminWrites(ids: KnownIds): AdminRequest[] {
  const { endpointId, secretAlias: alias } = ids;
  const since = ago(100);
  return [
    ...one('POST', '/deliveries/{id}/replay', ids.deadLetterId, { body: { reason } }),
    request('POST /deliveries/replay', { filter: { endpointId: LARGE_ENDPOINT, status: 'DLQ' }, reason }),
    request('POST /endpoints', {
      tenantId: LARGE_TENANT,
      url: 'http://127.0.0.1:9/hook',
      subscribedTypes: [COMMON_TYPE],
    }),
    ...one('PATCH', '/endpoints/{id}', endpointId, { body: { isEnabled: false } }),
    ...one('PATCH', '/endpoints/{id}', endpointId, { body: { isEnabled: true, name: 'changed' } }),
    ...one('POST', '/endpoints/{id}/test', endpointId, {}),
    ...one('POST', '/endpoints/{id}/recover', LARGE_ENDPOINT, { body: { since, reason } }),
    ...one('POST', '/endpoints/{id}/replay-missing', endpointId, { body: { since: ago(2), reason } }),
    ...one('POST', '/endpoints/{id}/rotate-secret', endpointId, { body: {} }),
    ...one('POST', '/lanes/{id}/skip', ids.laneId, { body: { reason } }),
    ...one('POST', '/operations/{id}/cancel', ids.operationId, {}),
    request('PUT /policies/{eventType}', { tenantId: LARGE_TENANT, rules }, `/policies/${COMMON_TYPE}`),
    request('POST /prune', {}),
    request('POST /secrets', { tenantId: LARGE_TENANT, alias: 'another-secret' }),
    request('POST /tokens', { name: 'another', role: 'tenant-admin', tenantId: LARGE_TENANT }),
    ...one('DELETE', '/tokens/{id}', ids.tokenId),
    ...one('DELETE', '/endpoints/{id}', LARGE_ENDPOINT),
    {
      route: 'DELETE /secrets/{alias}/versions/{version}',
      path: `/secrets/${alias}/versions/1`,
      query: { tenantId: LARGE_TENANT },
    },
  ];
}

function list(path: string, queries: readonly Query[]): AdminRequest[] {
  return queries.map((query) => ({ route: `GET ${path}`, path, query }));
}

function one(
  method: string,
  path: string,
  id: string,
  { query = {}, body }: { query?: Query; body?: unknown } = {},
): AdminRequest[] {
  return [{ route: `${method} ${path}`, path: path.replace('{id}', id), query, body }];
}

function request(route: string, body: unknown, path = route.split(' ')[1]!): AdminRequest {
  return { route, path, query: {}, body };
}
