/** What the routes under /admin/eventbus answer, as far as the console shows it. Times are ISO 8601 in UTC. */

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export type Role = 'operator' | 'tenant-admin';

export interface Session {
  role: Role;
  tenantId: string | null;
  name: string;
}

export interface Tenant {
  tenantId: string;
  endpoints: number;
}

export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

export interface Now {
  deliveredPerSecond: number;
  due: number;
  oldestDueSeconds: number;
  leased: number;
  deadLetters: number;
  openCircuits: number;
  blockedLanes: number;
  workersAlive: number;
  /** Counts end there: such a count means that, or more. */
  countCap: number;
}

export type StatsWindow = '1h' | '24h' | '7d';

interface Counts {
  published: number;
  delivered: number;
  failedAttempts: number;
  deadLettered: number;
  latencyMs: Percentiles | null;
}

export interface Step extends Counts {
  at: string;
}

export interface Stats {
  window: StatsWindow;
  from: string;
  to: string;
  stepSeconds: number;
  now: Now;
  totals: Counts & { successRate: number | null };
  series: Step[];
}

export interface Event {
  eventId: string;
  tenantId: string;
  streamKey: string;
  type: string;
  occurredAt: string;
  traceId: string;
  actorId?: string;
  payload: Record<string, unknown>;
  status: 'PENDING' | 'PUBLISHED';
  createdAt: string;
  publishedAt: string | null;
  payloadHash: string;
  aggregateType: string | null;
  aggregateId: string | null;
  attributes: Record<string, unknown>;
}

export interface Preview {
  endpoints: number;
  items: {
    endpointId: string;
    name: string | null;
    matches: boolean;
    reason: string;
    body: string;
    policy: { policyId: string | null; version: number } | null;
    removed: { path: string; reason: string }[];
    changed: { path: string; action: string }[];
  }[];
}

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED', 'DLQ'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface Delivery {
  deliveryId: string;
  tenantId: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  status: DeliveryStatus;
  attempts: number;
  lastStatusCode?: number;
  traceId: string;
  nextAttemptAt?: string;
  errorClass: string | null;
  lastError: string | null;
  lastErrorRef: string | null;
  lastErrorAt: string | null;
  deadLetterReason: string | null;
  isParked: boolean;
  dispatchedAt: string;
  createdAt: string;
  settledAt: string | null;
}

export interface Attempt {
  attempt: number;
  at: string;
  statusCode: number | null;
  latencyMs: number | null;
  errorClass: string | null;
  responseExcerpt: string | null;
  policyVersion: number | null;
  bodySha256: string | null;
}

export interface DeliveryStory extends Delivery {
  /** Oldest first. */
  attemptLog: Attempt[];
}

export interface SentBody {
  attempt: number;
  policyVersion: number | null;
  bodySha256: string | null;
  renderedSha256: string | null;
  matches: boolean;
  body: string | null;
  reason: string | null;
}

export interface DeadLetterGroup {
  endpointId: string;
  endpointName: string | null;
  errorClass: string;
  count: number;
  /** There may be more than were counted. */
  more: boolean;
  oldestAt: string;
  newestAt: string;
}

export type OperationState = 'pending' | 'running' | 'completed' | 'cancelled' | 'failed';

export interface Operation {
  operationId: string;
  kind: 'replay' | 'recover' | 'replay-missing';
  state: OperationState;
  total: number;
  done: number;
  failed: number;
  endpointId: string | null;
  filter: Record<string, unknown>;
  actor: string;
  reason: string;
  lastError: string | null;
  createdAt: string;
  finishedAt: string | null;
}

export interface Lane {
  laneId: string;
  tenantId: string;
  endpointId: string;
  streamKey: string;
  lastSequence: number;
  isBlocked: boolean;
  blockedAt: string | null;
  blockedBy: string | null;
  isParked: boolean;
  readyAt: string | null;
  waiting: number;
}

export const POLICY_ACTIONS = ['keep', 'drop', 'mask', 'hash', 'truncate', 'coarsen'] as const;
export type PolicyAction = (typeof POLICY_ACTIONS)[number];

export interface PolicyRule {
  path: string;
  action: PolicyAction;
  length?: number;
  decimals?: number;
}

export interface Policy {
  policyId: string;
  tenantId: string | null;
  eventType: string;
  version: number;
  rules: PolicyRule[];
  createdAt: string;
}

export interface PolicyPreview {
  /** The payload alone. */
  body: string;
  removed: { path: string; why: string }[];
  changed: { path: string; action: string }[];
  kept: string[];
}

export interface LedgerEntry {
  entryId: string;
  recordedAt: string;
  kind: string;
  actor: string;
  traceId: string;
  tenantId: string | null;
  eventId: string | null;
  eventType: string | null;
  deliveryId: string | null;
  endpointId: string | null;
  attempt: number | null;
  statusCode: number | null;
  latencyMs: number | null;
  errorClass: string | null;
  error: string | null;
  policyVersion: number | null;
  bodySha256: string | null;
  reason: string | null;
  detail: Record<string, unknown> | null;
}

export interface Verification {
  isIntact: boolean;
  firstBroken: { fault: string; batchNumber: number; entryId: string | null } | null;
  verifiedBatches: number;
  verifiedEntries: number;
  unsealed: { entries: number; since: string | null };
  head: { batchNumber: number; seal: string } | null;
}

export interface Token {
  tokenId: string;
  name: string;
  role: Role;
  tenantId: string | null;
  createdAt: string;
  createdBy: string;
  expiresAt: string | null;
  revokedAt: string | null;
}
