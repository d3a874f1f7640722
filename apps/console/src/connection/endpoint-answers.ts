/** Of the routes under /admin/eventbus/endpoints. */

export type PredicateOperator = 'equals' | 'not-equals' | 'in' | 'greater' | 'less' | 'exists' | 'starts-with';
export type Scalar = string | number | boolean;

export interface Predicate {
  path: string;
  operator: PredicateOperator;
  value: Scalar | Scalar[];
}

export interface Subscription {
  type: string;
  match?: 'all' | 'any';
  predicates: Predicate[];
}

export interface Circuit {
  state: 'closed' | 'open' | 'half-open';
  until: string | null;
}

export interface EndpointSettings {
  name: string | null;
  url: string;
  subscribedTypes: string[];
  subscriptions: Subscription[];
  signature: 'v1' | 'v1a';
  headers: Record<string, string | { secretAlias: string }>;
  isEnabled: boolean;
  isExternal: boolean;
  ordering: 'none' | 'stream';
  onDeadLetter: 'block' | 'skip';
  maxInFlight: number | null;
  retry: { maxAttempts?: number; initialDelayMs?: number; maxDelayMs?: number } | null;
  timeoutMs: number | null;
}

export interface Endpoint extends EndpointSettings {
  endpointId: string;
  tenantId: string;
  signingSecretAlias: string;
  dispatcher: string | null;
  createdAt: string;
  updatedAt: string;
  circuit?: Circuit;
}

/** What a receiver verifies with, shown this once. */
export interface ShownSecret {
  secret?: string;
  publicKey?: string;
}

export interface Rotation extends ShownSecret {
  signingSecretAlias: string;
  version: number;
  overlapping: { version: number; liveUntil: string }[];
}

export interface Ping {
  delivered: boolean;
  statusCode: number | null;
  latencyMs: number | null;
  errorClass: string | null;
}

export interface DryRun {
  checked: number;
  matched: number;
  items: { eventId: string; type: string; createdAt: string; matches: boolean; reason: string }[];
}

export interface EndpointHealth {
  items: { endpointId: string; series: { at: string; delivered: number; failedAttempts: number }[] }[];
}
