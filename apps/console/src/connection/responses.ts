import type { ItemOf, ResponseOf } from './response-of.ts';

export type Page<T> = Omit<ResponseOf<'/events'>, 'items'> & { items: T[] };

export type Session = ResponseOf<'/session'>;
export type SignedIn = ResponseOf<'/session', 'post'>;
export type Role = Session['role'];
export type Tenant = ItemOf<'/tenants'>;

export type Stats = ResponseOf<'/stats'>;
export type StatsWindow = Stats['window'];
/** Counts end at `countCap`: a count of that size means that many or more. */
export type Now = Stats['now'];
export type Step = Stats['series'][number];
export type Percentiles = NonNullable<Step['latencyMs']>;

export type Event = ResponseOf<'/events/{id}'>;
export type Preview = ResponseOf<'/events/{id}/preview', 'post'>;

export type Delivery = ItemOf<'/deliveries'>;
export type DeliveryStatus = Delivery['status'];
export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED', 'DLQ'] as const satisfies readonly DeliveryStatus[];
/** The attempt log is oldest first. */
export type DeliveryStory = ResponseOf<'/deliveries/{id}'>;
export type Attempt = DeliveryStory['attemptLog'][number];
export type SentBody = ResponseOf<'/deliveries/{id}/body'>;

/** `more` is set if the count was cut short. */
export type DeadLetterGroup = ItemOf<'/deliveries/groups'>;
export type ReplayResult = ResponseOf<'/deliveries/replay', 'post'>;
export type Operation = ItemOf<'/operations'>;
export type OperationState = Operation['state'];

export type Lane = ItemOf<'/lanes'>;

export type Policy = ItemOf<'/policies'>;
export type PolicyRule = Policy['rules'][number];
export type PolicyAction = PolicyRule['action'];
export const POLICY_ACTIONS = [
  'keep',
  'drop',
  'mask',
  'hash',
  'truncate',
  'coarsen',
] as const satisfies readonly PolicyAction[];
/** `body` is the payload alone. */
export type PolicyPreview = ResponseOf<'/policies/{eventType}/preview', 'post'>;

export type LedgerEntry = ItemOf<'/audit'>;
export type Verification = ResponseOf<'/audit/verify', 'post'>;

export type Token = ItemOf<'/tokens'>;
export type CreatedToken = ResponseOf<'/tokens', 'post'>;
