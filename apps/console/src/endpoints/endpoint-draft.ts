import type {
  Endpoint,
  EndpointSettings,
  Predicate,
  PredicateOperator,
  Subscription,
} from '../connection/endpoint-responses.ts';

/** The state of the form: numbers and values are still text. */
export interface Draft {
  tenantId: string;
  name: string;
  url: string;
  types: string[];
  filters: DraftFilter[];
  isExternal: boolean;
  ordering: 'none' | 'stream';
  onDeadLetter: 'block' | 'skip';
  signature: 'v1' | 'v1a';
  maxAttempts: string;
  initialDelayMs: string;
  maxDelayMs: string;
  timeoutMs: string;
  maxInFlight: string;
  headers: DraftHeader[];
}

/** Predicates on one type. */
export interface DraftFilter {
  type: string;
  match: 'all' | 'any';
  predicates: DraftPredicate[];
}

export interface DraftPredicate {
  path: string;
  operator: PredicateOperator;
  value: string;
}

export interface DraftHeader {
  name: string;
  value: string;
  isAlias: boolean;
}

export function newDraft(tenantId: string): Draft {
  return {
    ...{ tenantId, name: '', url: '', types: [], filters: [], isExternal: true },
    ...{ ordering: 'none', onDeadLetter: 'block', signature: 'v1', headers: [] },
    ...{ maxAttempts: '', initialDelayMs: '', maxDelayMs: '', timeoutMs: '', maxInFlight: '' },
  };
}

export function draftOf(endpoint: EndpointSettings & { tenantId: string }): Draft {
  const { retry } = endpoint;
  const text = (value: number | null | undefined) => (value === null || value === undefined ? '' : String(value));
  return {
    tenantId: endpoint.tenantId,
    name: endpoint.name ?? '',
    url: endpoint.url,
    types: endpoint.subscribedTypes,
    filters: endpoint.subscriptions.map(({ type, match = 'all', predicates }) => ({
      type,
      match,
      predicates: predicates.map(({ path, operator, value }) => ({
        path,
        operator,
        value: Array.isArray(value) ? value.join(', ') : String(value),
      })),
    })),
    isExternal: endpoint.isExternal,
    ordering: endpoint.ordering,
    onDeadLetter: endpoint.onDeadLetter,
    signature: endpoint.signature,
    maxAttempts: text(retry?.maxAttempts),
    initialDelayMs: text(retry?.initialDelayMs),
    maxDelayMs: text(retry?.maxDelayMs),
    timeoutMs: text(endpoint.timeoutMs),
    maxInFlight: text(endpoint.maxInFlight),
    headers: Object.entries(endpoint.headers).map(([name, value]) =>
      typeof value === 'string' ? { name, value, isAlias: false } : { name, value: value.secretAlias, isAlias: true },
    ),
  };
}

/** The body of the API request; call it on a draft without mistakes. */
export function settingsOf(draft: Draft): Omit<EndpointSettings, 'isEnabled'> {
  const number = (text: string) => (text.trim() === '' ? null : Number(text));
  const retry = Object.fromEntries(
    (['maxAttempts', 'initialDelayMs', 'maxDelayMs'] as const)
      .map((name) => [name, number(draft[name])] as const)
      .filter(([, value]) => value !== null),
  );
  return {
    name: draft.name.trim() || null,
    url: draft.url.trim(),
    subscribedTypes: draft.types,
    subscriptions: subscriptionsOf(draft),
    isExternal: draft.isExternal,
    ordering: draft.ordering,
    onDeadLetter: draft.onDeadLetter,
    signature: draft.signature,
    retry: Object.keys(retry).length > 0 ? retry : null,
    timeoutMs: number(draft.timeoutMs),
    maxInFlight: number(draft.maxInFlight),
    headers: Object.fromEntries(
      draft.headers.map(({ name, value, isAlias }) => [name.trim(), isAlias ? { secretAlias: value.trim() } : value]),
    ),
  };
}

export function subscriptionsOf({ filters }: Pick<Draft, 'filters'>): Subscription[] {
  return filters
    .filter(({ predicates }) => predicates.length > 0)
    .map(({ type, match, predicates }) => ({ type, match, predicates: predicates.map(toPredicate) }));
}

/** Scalars are compared as text and sent as text, except where the operator requires numbers or booleans. */
function toPredicate({ path, operator, value }: DraftPredicate): Predicate {
  const trimmed = path.trim();
  switch (operator) {
    case 'in':
      return { path: trimmed, operator, value: listOf(value) };
    case 'greater':
    case 'less':
      return { path: trimmed, operator, value: Number(value) };
    case 'exists':
      return { path: trimmed, operator, value: value !== 'false' };
    default:
      return { path: trimmed, operator, value };
  }
}

export function listOf(value: string): string[] {
  return value
    .split(',')
    .map((text) => text.trim())
    .filter(Boolean);
}

/** Only the differences, so concurrent edits of different fields do not undo each other. */
export function changesOf(before: Endpoint, draft: Draft): Partial<EndpointSettings> {
  const [was, is] = [settingsOf(draftOf(before)), settingsOf(draft)];
  const names = Object.keys(is) as (keyof typeof is)[];
  return Object.fromEntries(
    names.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name])).map((name) => [name, is[name]]),
  );
}
