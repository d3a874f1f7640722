import type { WebhookEndpointRow } from '../../endpoints/webhook-endpoint.entity.js';
import type { WebhookEndpoint } from '../../endpoints/webhook-endpoint.js';

/** An endpoint as shown to callers. Contains no secret: the alias is a name. */
export interface EndpointDetails extends WebhookEndpoint {
  /** False: a caller of the tenant set the url, so it has to be public and https, whatever is allowed. */
  urlSetByOperator: boolean;
  updatedAt: string;
}

export interface ShownEndpoint extends EndpointDetails {
  /** Open: it gets nothing until then; half-open: the next delivery is a probe. */
  circuit: { state: 'closed' | 'open' | 'half-open'; until: string | null };
}

export function toEndpointDetails(row: WebhookEndpointRow): EndpointDetails {
  return {
    tenantId: row.tenantId,
    endpointId: row.endpointId,
    name: row.name ?? null,
    url: row.url,
    urlSetByOperator: row.urlSetByOperator,
    subscribedTypes: row.subscribedTypes,
    subscriptions: row.subscriptions,
    signingSecretAlias: row.signingSecretAlias,
    signature: row.signature,
    headers: row.headers,
    isEnabled: row.isEnabled,
    isExternal: row.isExternal,
    ordering: row.ordering,
    onDeadLetter: row.onDeadLetter,
    maxInFlight: row.maxInFlight ?? null,
    dispatcher: row.dispatcher ?? null,
    retry: row.retry ?? null,
    timeoutMs: row.timeoutMs ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
