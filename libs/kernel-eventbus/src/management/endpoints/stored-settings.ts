import type { SignatureScheme } from '@kernel/secrets';
import { splitUrl } from '@kernel/outgoing-http';
import { isDeepStrictEqual } from 'node:util';
import type { Subscription } from '../../endpoints/subscription.js';
import type {
  EndpointHeaders,
  EndpointOrdering,
  EndpointRetry,
  OnDeadLetter,
  WebhookEndpointRow,
} from '../../endpoints/webhook-endpoint.entity.js';

/** The settings of an endpoint as stored. Contains no secret: the alias is a name. */
export interface StoredSettings {
  name: string | null;
  url: string;
  urlSetByOperator: boolean;
  subscribedTypes: string[];
  subscriptions: Subscription[];
  signingSecretAlias: string;
  signature: SignatureScheme;
  /** Credentials appear by alias only. */
  headers: EndpointHeaders;
  isEnabled: boolean;
  isExternal: boolean;
  ordering: EndpointOrdering;
  onDeadLetter: OnDeadLetter;
  maxInFlight: number | null;
  dispatcher: string | null;
  retry: EndpointRetry | null;
  timeoutMs: number | null;
}

export function settingsOf(row: WebhookEndpointRow): StoredSettings {
  const { name, url, urlSetByOperator, subscribedTypes, subscriptions, signingSecretAlias, isEnabled, isExternal } =
    row;
  const { signature, headers, ordering, onDeadLetter, maxInFlight, dispatcher, retry, timeoutMs } = row;
  return {
    name: name ?? null,
    url,
    urlSetByOperator,
    subscribedTypes,
    subscriptions,
    signingSecretAlias,
    signature,
    headers,
    isEnabled,
    isExternal,
    ordering,
    onDeadLetter,
    maxInFlight: maxInFlight ?? null,
    dispatcher: dispatcher ?? null,
    retry: retry ?? null,
    timeoutMs: timeoutMs ?? null,
  };
}

export interface SettingsChange {
  before: Partial<StoredSettings>;
  after: Partial<StoredSettings>;
}

/**
 * The changed fields; undefined if there are none. A deep comparison, because jsonb does not keep the order of members.
 */
export function compareSettings(before: StoredSettings, after: StoredSettings): SettingsChange | undefined {
  const changed = (Object.keys(before) as (keyof StoredSettings)[]).filter(
    (key) => !isDeepStrictEqual(before[key], after[key]),
  );
  const pick = (settings: StoredSettings) => Object.fromEntries(changed.map((key) => [key, settings[key]]));
  return changed.length > 0 ? { before: pick(before), after: pick(after) } : undefined;
}

/** Settings for the ledger, which keeps them for good: the url without user and query, which may hold credentials. */
export function notedSettings<Settings extends Partial<StoredSettings>>(settings: Settings): Settings {
  return settings.url === undefined ? settings : { ...settings, url: splitUrl(settings.url).shown };
}

/** A change for the ledger. `isUrlQueryChanged`: the url has another user or query, which the ledger does not show. */
export function notedChange({ before, after }: SettingsChange): SettingsChange & { isUrlQueryChanged?: true } {
  const [hidden, hiddenNow] = [before, after].map(({ url = '' }) => splitUrl(url).hidden);
  return {
    before: notedSettings(before),
    after: notedSettings(after),
    ...(hidden !== hiddenNow && { isUrlQueryChanged: true as const }),
  };
}
