import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { WebhookEndpointEntity, type WebhookEndpointRow } from '../../routing/webhook-endpoint.entity.js';
import type { AdminPrincipal } from '../access/admin-principal.js';

/** Until the transaction ends. Undefined when there is no such endpoint for this principal. */
export async function lockEndpoint(
  em: EntityManager,
  principal: AdminPrincipal,
  endpointId: string,
): Promise<WebhookEndpointRow | undefined> {
  const row = await em.findOne(
    WebhookEndpointEntity,
    { endpointId, deletedAt: null, ...principal.tenantFilter() },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  return row ?? undefined;
}
