import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { WebhookEndpointEntity } from '../../endpoints/webhook-endpoint.entity.js';
import type { WebhookEndpointRow } from '../../endpoints/webhook-endpoint.entity.js';

/**
 * Locks the row until the transaction ends. Takes a row that the caller found, and therefore may see; undefined if it
 * was deleted meanwhile.
 */
export async function lockEndpoint(
  em: EntityManager,
  { endpointId }: WebhookEndpointRow,
): Promise<WebhookEndpointRow | undefined> {
  const filter = { endpointId, deletedAt: null };
  return (
    (await em.findOne(WebhookEndpointEntity, filter, { filters: false, lockMode: LockMode.PESSIMISTIC_WRITE })) ??
    undefined
  );
}
