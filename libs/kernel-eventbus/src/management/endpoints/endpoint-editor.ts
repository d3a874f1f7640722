import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { newId } from '@kernel/runtime';
import { appendEntries, type LedgerKind } from '@kernel/ledger';
import { announceEndpointChange } from '../../endpoints/endpoints.sql.js';
import type { WebhookEndpointRow } from '../../endpoints/webhook-endpoint.entity.js';
import { WakeUp, type EndpointChange } from '../../runtime/wake-up.js';
import { WebhookEndpointEntity } from '../../endpoints/webhook-endpoint.entity.js';
import type { Caller } from '../../access/caller.js';
import { TenantScope } from '../../access/tenant-scope.js';
import { callerEntry } from '../caller-entry.js';
import { TenantBudgets } from '../budgets/tenant-budgets.js';
import { EndpointChecks } from './endpoint-checks.js';
import { adaptQueue, endQueue } from './endpoint-queue.js';
import { EndpointHeaderCheck } from './endpoint-header-check.js';
import { EndpointSecret, type ShownSecret } from './endpoint-secret.js';
import { compareSettings, notedChange, notedSettings, settingsOf } from './stored-settings.js';
import type { EndpointChanges, NewEndpoint } from './endpoint-input.js';
import { insertEndpoint, markEndpointDeleted, updateEndpoint } from './endpoint-rows.sql.js';
import { lockEndpoint } from './lock-endpoint.js';
import { isUrlSetByOperator } from './url-set-by-operator.js';

export interface SavedEndpoint {
  row: WebhookEndpointRow;
  /** The signing secret, if this request created one. */
  shown?: ShownSecret;
}

/**
 * Creates, changes and deletes endpoints. Effects on deliveries and the ledger entry are part of the same transaction.
 */
@Injectable()
export class EndpointEditor {
  constructor(
    private readonly scope: TenantScope,
    private readonly secrets: EndpointSecret,
    private readonly checks: EndpointChecks,
    private readonly headerCheck: EndpointHeaderCheck,
    private readonly budgets: TenantBudgets,
    private readonly wakeUp: WakeUp,
  ) {}

  create(caller: Caller, { tenantId, ...wanted }: NewEndpoint): Promise<SavedEndpoint> {
    this.checks.vetNew(caller, wanted);
    return this.scope.write(caller, async (em) => {
      const endpointId = newId();
      const headers = await this.headerCheck.vet(tenantId, wanted.headers, em);
      const endpoint = { tenantId, endpointId, signature: wanted.signature };
      const { alias, shown } = await this.secrets.choose(caller, endpoint, wanted.signingSecretAlias, em);
      const urlSetByOperator = isUrlSetByOperator(caller, wanted);
      const settings = { ...wanted, urlSetByOperator, headers, name: wanted.name ?? null, signingSecretAlias: alias };
      await insertEndpoint(em.getKysely(), { endpointId, tenantId, ...settings });
      await this.budgets.checkEndpoints(em, caller);
      const row = await em.findOneOrFail(WebhookEndpointEntity, { endpointId }, { filters: false });
      await this.note(em, caller, row, 'endpoint-created', { after: notedSettings(settingsOf(row)) });
      return { row, shown };
    });
  }

  /**
   * Undefined if the endpoint was deleted meanwhile. Deliveries not yet in flight use the new settings, or are parked.
   */
  async update(
    caller: Caller,
    found: WebhookEndpointRow,
    changes: EndpointChanges,
  ): Promise<SavedEndpoint | undefined> {
    const saved = await this.scope.write(caller, async (em) => {
      const endpoint = await lockEndpoint(em, found);
      return endpoint && this.applyChanges(em, caller, endpoint, changes);
    });
    this.wakeUp.endpointChanged(changeOf(found.endpointId, changes));
    if (saved?.row.isEnabled) {
      this.wakeUp.nudge();
      this.wakeUp.published();
    }
    return saved;
  }

  /** No effect on a deleted endpoint. */
  async remove(caller: Caller, found: WebhookEndpointRow): Promise<void> {
    await this.scope.write(caller, async (em) => {
      const endpoint = await lockEndpoint(em, found);
      if (!endpoint) {
        return;
      }
      const { endpointId } = endpoint;
      await markEndpointDeleted(em.getKysely(), endpointId);
      const deadLettered = await endQueue(em.getKysely(), endpointId, caller.actor);
      await announceEndpointChange(em.getKysely(), { endpointId, state: 'deleted' });
      await this.note(em, caller, endpoint, 'endpoint-deleted', {
        before: notedSettings(settingsOf(endpoint)),
        deadLettered,
      });
    });
    this.wakeUp.endpointChanged({ endpointId: found.endpointId, state: 'deleted' });
  }

  private async applyChanges(
    em: EntityManager,
    caller: Caller,
    endpoint: WebhookEndpointRow,
    changes: EndpointChanges,
  ): Promise<SavedEndpoint> {
    const before = settingsOf(endpoint);
    const { shown, ...outgoing } = await this.vetOutgoing(em, caller, endpoint, changes);
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const urlSetByOperator = isUrlSetByOperator(caller, changes, before);
    const after = { ...before, ...given, ...outgoing, urlSetByOperator };
    const change = compareSettings(before, after);
    if (!change) {
      return { row: endpoint };
    }
    await this.checks.vetChange(em, caller, endpoint, change, after);
    await updateEndpoint(em.getKysely(), endpoint.endpointId, after);
    await adaptQueue(em.getKysely(), endpoint.endpointId, change.after);
    await announceEndpointChange(em.getKysely(), changeOf(endpoint.endpointId, change.after));
    await this.note(em, caller, endpoint, 'endpoint-updated', { ...notedChange(change) });
    return { row: await em.refreshOrFail(endpoint), shown };
  }

  /** Headers as stored, and an alias that fits the signature scheme. */
  private async vetOutgoing(em: EntityManager, caller: Caller, endpoint: WebhookEndpointRow, changes: EndpointChanges) {
    const { tenantId, endpointId, signingSecretAlias } = endpoint;
    const signing = { tenantId, endpointId, signature: changes.signature ?? endpoint.signature };
    const { alias, shown } =
      changes.signingSecretAlias !== undefined
        ? await this.secrets.choose(caller, signing, changes.signingSecretAlias, em)
        : signing.signature !== endpoint.signature
          ? await this.secrets.adapt(caller, signing, signingSecretAlias, em)
          : { alias: signingSecretAlias, shown: undefined };
    const headers = changes.headers && (await this.headerCheck.vet(tenantId, changes.headers, em));
    return { signingSecretAlias: alias, ...(headers && { headers }), shown };
  }

  private note(
    em: EntityManager,
    caller: Caller,
    { tenantId, endpointId }: WebhookEndpointRow,
    kind: LedgerKind,
    detail: Record<string, unknown>,
  ): Promise<void> {
    return appendEntries(em.getKysely(), [callerEntry(caller, { kind, tenantId, endpointId, detail })]);
  }
}

function changeOf(endpointId: string, { isEnabled }: { isEnabled?: boolean }): EndpointChange {
  return { endpointId, ...(isEnabled !== undefined && { state: isEnabled ? 'enabled' : 'disabled' }) };
}
