import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { newId } from '../../runtime/new-id.js';
import { appendEntries } from '../../audit/append-entries.sql.js';
import type { LedgerKind } from '../../audit/ledger-entry.js';
import { announceEndpointChange } from '../../routing/announce-endpoint-change.sql.js';
import { WebhookEndpointEntity, type WebhookEndpointRow } from '../../routing/webhook-endpoint.entity.js';
import { WakeUp } from '../../runtime/wake-up.js';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { adminEntry } from '../admin-entry.js';
import { EndpointDestinationCheck } from './endpoint-destination-check.js';
import { EndpointOrderingCheck } from './endpoint-ordering-check.js';
import { adaptQueue, endQueue } from './endpoint-queue.js';
import { EndpointHeaderCheck } from './endpoint-header-check.js';
import { EndpointSecret, type ShownSecret } from './endpoint-secret.js';
import { EndpointSubscriptionCheck } from './endpoint-subscription-check.js';
import { compareSettings, settingsOf } from './endpoint-settings.js';
import type { EndpointChanges, NewEndpoint } from './endpoint.dto.js';
import { insertEndpoint } from './insert-endpoint.sql.js';
import { lockEndpoint } from './lock-endpoint.js';
import { markEndpointDeleted } from './mark-endpoint-deleted.sql.js';
import { updateEndpoint } from './update-endpoint.sql.js';

export interface SavedEndpoint {
  row: WebhookEndpointRow;
  /** The signing secret, when one was made for it just now. */
  shown?: ShownSecret;
}

/** Creates, changes and deletes endpoints; what follows for their deliveries and the ledger is in the same transaction. */
@Injectable()
export class EndpointEditor {
  constructor(
    private readonly em: EntityManager,
    private readonly secrets: EndpointSecret,
    private readonly orderingCheck: EndpointOrderingCheck,
    private readonly destinationCheck: EndpointDestinationCheck,
    private readonly subscriptionCheck: EndpointSubscriptionCheck,
    private readonly headerCheck: EndpointHeaderCheck,
    private readonly wakeUp: WakeUp,
  ) {}

  create(principal: AdminPrincipal, { tenantId, ...wanted }: NewEndpoint): Promise<SavedEndpoint> {
    this.orderingCheck.refuseUnordered(wanted);
    this.destinationCheck.refuseUnfit(wanted, wanted);
    this.subscriptionCheck.refuseUnusable(wanted);
    return this.em.fork().transactional(async (em) => {
      const endpointId = newId();
      const headers = await this.headerCheck.vet(tenantId, wanted.headers, em);
      const endpoint = { tenantId, endpointId, signature: wanted.signature };
      const { alias, shown } = await this.secrets.choose(principal, endpoint, wanted.signingSecretAlias, em);
      const settings = { ...wanted, headers, name: wanted.name ?? null, signingSecretAlias: alias };
      await insertEndpoint(em.getKysely(), { endpointId, tenantId, ...settings });
      const row = await em.findOneOrFail(WebhookEndpointEntity, { endpointId });
      await this.note(em, principal, row, 'endpoint-created', { after: settingsOf(row) });
      return { row, shown };
    });
  }

  /** Undefined when it was deleted meanwhile. What is not in flight goes out as it says from now on, or not at all. */
  async update(
    principal: AdminPrincipal,
    found: WebhookEndpointRow,
    changes: EndpointChanges,
  ): Promise<SavedEndpoint | undefined> {
    const saved = await this.em.fork().transactional(async (em) => {
      const endpoint = await lockEndpoint(em, found);
      return endpoint && this.applyChanges(em, principal, endpoint, changes);
    });
    this.wakeUp.endpointChanged(found.endpointId);
    if (saved?.row.isEnabled) {
      this.wakeUp.nudge();
      this.wakeUp.published();
    }
    return saved;
  }

  /** One that was deleted before stays as it is. */
  async remove(principal: AdminPrincipal, found: WebhookEndpointRow): Promise<void> {
    await this.em.fork().transactional(async (em) => {
      const endpoint = await lockEndpoint(em, found);
      if (!endpoint) {
        return;
      }
      const { endpointId } = endpoint;
      await markEndpointDeleted(em.getKysely(), endpointId);
      const deadLettered = await endQueue(em.getKysely(), endpointId, principal.actor);
      await announceEndpointChange(em.getKysely(), endpointId);
      await this.note(em, principal, endpoint, 'endpoint-deleted', { before: settingsOf(endpoint), deadLettered });
    });
    this.wakeUp.endpointChanged(found.endpointId);
  }

  private async applyChanges(
    em: EntityManager,
    principal: AdminPrincipal,
    endpoint: WebhookEndpointRow,
    changes: EndpointChanges,
  ): Promise<SavedEndpoint> {
    const before = settingsOf(endpoint);
    const { shown, ...outgoing } = await this.vetOutgoing(em, principal, endpoint, changes);
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const after = { ...before, ...given, ...outgoing };
    const change = compareSettings(before, after);
    if (!change) {
      return { row: endpoint };
    }
    principal.refuseMoving(endpoint, change.after);
    this.subscriptionCheck.vet(after, change.after);
    if ('url' in change.after || 'dispatcher' in change.after) {
      // Again under the lock: another request may have changed the other half of it.
      this.destinationCheck.refuseUnfit(after, change.after);
    }
    await this.orderingCheck.vet(em, endpoint.endpointId, change, after);
    await updateEndpoint(em.getKysely(), endpoint.endpointId, after);
    await adaptQueue(em.getKysely(), endpoint.endpointId, change.after);
    await announceEndpointChange(em.getKysely(), endpoint.endpointId);
    await this.note(em, principal, endpoint, 'endpoint-updated', { ...change });
    return { row: await em.refreshOrFail(endpoint), shown };
  }

  /** Headers as they are stored, and an alias that can sign as the endpoint will. */
  private async vetOutgoing(
    em: EntityManager,
    principal: AdminPrincipal,
    endpoint: WebhookEndpointRow,
    changes: EndpointChanges,
  ) {
    const { tenantId, endpointId, signingSecretAlias } = endpoint;
    const signing = { tenantId, endpointId, signature: changes.signature ?? endpoint.signature };
    const { alias, shown } =
      changes.signingSecretAlias !== undefined
        ? await this.secrets.choose(principal, signing, changes.signingSecretAlias, em)
        : signing.signature !== endpoint.signature
          ? await this.secrets.adapt(principal, signing, signingSecretAlias, em)
          : { alias: signingSecretAlias, shown: undefined };
    const headers = changes.headers && (await this.headerCheck.vet(tenantId, changes.headers, em));
    return { signingSecretAlias: alias, ...(headers && { headers }), shown };
  }

  private note(
    em: EntityManager,
    principal: AdminPrincipal,
    { tenantId, endpointId }: WebhookEndpointRow,
    kind: LedgerKind,
    detail: Record<string, unknown>,
  ): Promise<void> {
    return appendEntries(em.getKysely(), [adminEntry(principal, { kind, tenantId, endpointId, detail })]);
  }
}
