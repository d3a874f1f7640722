import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const ADMIN = 'libs/kernel-eventbus-admin/src';
const ENGINE = 'libs/kernel-eventbus/src';
const CONFIG = `${ENGINE}/eventbus.config.ts`;
const LIMITS = `${ENGINE}/endpoints/subscription-limits.ts`;
const BUDGETS = `${ENGINE}/management/budgets/tenant-budgets.ts`;

const plain = (value: number) => value.toLocaleString('en-US');
const seconds = (value: number) => `${value / 1_000} s`;
const kib = (value: number) => `${value / 1_024} KiB`;
const mib = (value: number) => `${value / 1_048_576} MiB`;
/** For a product, of which the first factor is read. */
const of = (unit: string) => (value: number) => `${value} ${unit}`;

/** A row of the table, and where the code has its figure: the text before it, and how the table writes it. */
const FIGURES: [what: string, file: string, before: string, write?: (value: number) => string][] = [
  ['wrong tokens of a source', CONFIG, 'adminFailures: z.strictObject({ limit: positive.default('],
  ['wrong tokens of a source', CONFIG, 'windowMs: positive.default(', seconds],
  ['body of a request', `${ADMIN}/access/body-limit.ts`, 'MAX_BODY_BYTES = ', mib],
  ['values in a body, besides `payload`', `${ADMIN}/access/vet-body.ts`, 'MAX_BODY_VALUES = '],
  ['values in a body, besides `payload`', `${ADMIN}/access/vet-body.ts`, 'MAX_MEMBERS = '],
  ['payload of a policy preview', CONFIG, 'maxPayloadBytes: positive.default(', kib],
  ['payload of a policy preview', CONFIG, 'maxPayloadDepth: positive.max(1_000).default('],
  ['time of a read, and of the wait before it', CONFIG, 'adminReadTimeoutMs: positive.max(600_000).default(', seconds],
  ['live streams', `${ADMIN}/live/listener-limits.ts`, '{ total: '],
  ['live streams', `${ADMIN}/live/listener-limits.ts`, 'ofTenants: '],
  ['live streams', `${ADMIN}/live/listener-limits.ts`, 'perTenant: '],
  ['live streams', `${ADMIN}/live/listener-limits.ts`, 'perToken: '],
  ['unread bytes of a live stream', `${ADMIN}/live/event-stream.ts`, 'MAX_UNREAD_BYTES = ', kib],
  ['unread bytes of a live stream', `${ADMIN}/live/event-stream.ts`, 'MAX_DROPPED = '],
  ['items of a list', `${ENGINE}/paging/page.ts`, '.max('],
  ['bytes of a list', `${ENGINE}/paging/page-bytes.ts`, 'MAX_PAGE_BYTES = ', mib],
  ['bytes of a list', `${ADMIN}/policies/policies.controller.ts`, 'MAX_PAGE_RULES = '],
  ['rows searched for a page', `${ENGINE}/paging/search-limit.ts`, 'SEARCHED_PER_PAGE = '],
  ['attempts shown with a delivery', `${ADMIN}/deliveries/delivery.dto.ts`, 'MAX_LOGGED_ATTEMPTS = '],
  ['preview of an event', `${ADMIN}/events/preview.dto.ts`, 'PREVIEW_ENDPOINTS = '],
  ['preview of an event', `${ADMIN}/events/preview.dto.ts`, 'PREVIEW_BYTES = ', of('MiB')],
  ['paths listed by a preview', `${ADMIN}/listed-paths.ts`, 'MAX_PATHS = '],
  ['paths listed by a preview', `${ADMIN}/listed-paths.ts`, 'MAX_CHARACTERS = '],
  ['events of a dry run', `${ADMIN}/endpoints/dry-run.dto.ts`, 'DRY_RUN_EVENTS = '],
  ['endpoints of a tenant', CONFIG, 'maxEndpointsPerTenant: positive.max(100_000).default('],
  ['types of an endpoint', LIMITS, 'MAX_SUBSCRIBED_TYPES = '],
  ['types of an endpoint', `${ENGINE}/envelope/event-envelope.ts`, 'type: z.string().min(1).max('],
  ['subscriptions of an endpoint', LIMITS, 'MAX_SUBSCRIPTIONS = '],
  ['subscriptions of an endpoint', LIMITS, 'MAX_ENDPOINT_PREDICATES = '],
  ['subscriptions of an endpoint', LIMITS, 'MAX_SUBSCRIPTIONS_BYTES = ', kib],
  ['a predicate', LIMITS, 'MAX_PATH_LENGTH = '],
  ['a predicate', LIMITS, 'MAX_LIST_VALUES = '],
  ['a predicate', LIMITS, 'MAX_VALUE_LENGTH = '],
  ['headers of an endpoint', `${ENGINE}/management/endpoints/endpoint-header-check.ts`, 'MAX_HEADERS = '],
  ['headers of an endpoint', `${ENGINE}/management/endpoints/vet-header.ts`, 'MAX_NAME_LENGTH = '],
  ['headers of an endpoint', `${ENGINE}/management/endpoints/vet-header.ts`, 'MAX_VALUE_LENGTH = '],
  ['name and URL of an endpoint', `${ENGINE}/endpoints/webhook-endpoint.ts`, 'name: z.string().min(1).max('],
  ['name and URL of an endpoint', `${ENGINE}/endpoints/webhook-endpoint.ts`, '.string()\n    .max('],
  ['`timeoutMs` of an endpoint', `${ENGINE}/endpoints/endpoint-limits.ts`, 'maxTimeoutMs ?? Math.max(', seconds],
  ['`maxInFlight` of an endpoint', `${ENGINE}/endpoints/endpoint-limits.ts`, 'maxInFlightPerEndpoint ?? Math.max('],
  ['`retry` of an endpoint', `${ENGINE}/endpoints/webhook-endpoint.ts`, 'maxAttempts: z.number().int().min(1).max('],
  ['response of a receiver', 'libs/kernel-outgoing-http/src/send/capped-response.ts', 'responseCapBytes = ', of('KiB')],
  ['response of a receiver', 'libs/kernel-outgoing-http/src/send/body-excerpt.ts', 'maxExcerptCharacters = '],
  ['test webhooks at a time', `${ENGINE}/dispatch/test-webhook-limits.ts`, '{ total: '],
  ['test webhooks at a time', `${ENGINE}/dispatch/test-webhook-limits.ts`, 'perTenant: '],
  ['secrets of a tenant', BUDGETS, 'SECRETS_PER_ENDPOINT = '],
  ['versions of a secret', BUDGETS, 'MAX_SECRET_VERSIONS = '],
  ['versions of a secret', 'libs/kernel-secrets/src/vault/postgres-secret-vault.ts', 'MAX_LIVE_VERSIONS = '],
  ['a credential', 'libs/kernel-secrets/src/parse-secret.ts', 'MAX_CREDENTIAL_LENGTH = '],
  ['overlap of a rotation', `${ENGINE}/management/endpoints/endpoint-input.ts`, 'MAX_OVERLAP_SECONDS = ', of('days')],
  ['policies of a tenant', BUDGETS, 'MAX_POLICIES = '],
  ['versions of a policy', BUDGETS, 'MAX_POLICY_VERSIONS = '],
  ['rules of a policy', 'libs/kernel-privacy/src/policy/policy-rule.ts', 'MAX_RULES = '],
  ['rules of a policy', 'libs/kernel-privacy/src/path/json-path.ts', 'MAX_PATH_LENGTH = '],
  [
    'open operations of a tenant',
    `${ENGINE}/replay/operations/operations.options.ts`,
    'maxOpen: positive.max(1_000).default(',
  ],
  [
    'deliveries of an operation',
    `${ENGINE}/replay/operations/operations.options.ts`,
    'maxDeliveries: positive.max(10_000_000).default(',
  ],
  [
    'deliveries of an operation',
    `${ENGINE}/replay/operations/operations.options.ts`,
    'batchSize: positive.max(1_000).default(',
  ],
  [
    'time to count them',
    `${ENGINE}/replay/operations/operations.options.ts`,
    'countTimeoutMs: positive.max(600_000).default(',
    seconds,
  ],
  ['reason of an action', `${ENGINE}/envelope/request-fields.ts`, 'Reason = storable(z.string().trim().min(1).max('],
];

describe('the budgets in docs/security.md', () => {
  it.each(FIGURES)('are those of the code: %s, in %s after "%s"', async (what, file, before, write = plain) => {
    const cap = (await readCaps()).get(what);
    const value = figureAfter(before, await readFile(join(ROOT, file), 'utf8'));
    expect(cap?.match(/\d+(,\d+)*( (MiB|KiB|s|days)\b)?/g)).toContain(write(value));
  });

  it('have every row of figures tied to the code', async () => {
    const tied = new Set(FIGURES.map(([what]) => what));
    const untied = [...(await readCaps())].filter(([what, cap]) => /\d/.test(cap) && !tied.has(what));
    expect(untied).toEqual([]);
  });
});

async function readCaps(): Promise<Map<string, string>> {
  const security = await readFile(join(ROOT, 'docs/security.md'), 'utf8');
  const section = security.split('\n## Budgets\n')[1]!.split('\n## ')[0]!;
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return new Map(rows.map((row) => row.split('|').map((cell) => cell.trim())).map(([, what, cap]) => [what!, cap!]));
}

function figureAfter(before: string, source: string): number {
  const place = source.indexOf(before);
  const found = place < 0 ? undefined : /^[\d_]+/.exec(source.slice(place + before.length))?.[0];
  return Number(found?.replaceAll('_', ''));
}
