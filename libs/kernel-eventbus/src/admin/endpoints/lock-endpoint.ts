import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { WebhookEndpointEntity, type WebhookEndpointRow } from '../../routing/webhook-endpoint.entity.js';

/** Until the transaction ends. Takes one that was found, and so may be seen by whoever asks; undefined when it was deleted meanwhile. */
export async function lockEndpoint(
  em: EntityManager,
  { endpointId }: WebhookEndpointRow,
): Promise<WebhookEndpointRow | undefined> {
  const filter = { endpointId, deletedAt: null };
  return (await em.findOne(WebhookEndpointEntity, filter, { lockMode: LockMode.PESSIMISTIC_WRITE })) ?? undefined;
}
