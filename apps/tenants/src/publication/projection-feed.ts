import { appendEntries, currentTraceId, ledgerEntry, newTraceId } from '@kernel/eventbus';
import { PostgresSecretVault } from '@kernel/secrets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { governanceChanged } from '../governance/governance.events.js';
import { TenantsSettings } from '../settings/tenants-settings.js';
import { insertProjectionEndpoint } from './insert-projection-endpoint.sql.js';

const ALIAS = 'governance-projection';
const ACTOR = 'tenants';

/** About an hour and a half of retries while the broker is unavailable; after that an operator replays. */
const RETRY = { maxAttempts: 100, initialDelayMs: 200, maxDelayMs: 60_000 };

/** Sends a new tenant's changes to the broker. An endpoint belongs to a tenant, so each tenant gets its own. */
@Injectable()
export class ProjectionFeed {
  constructor(
    private readonly vault: PostgresSecretVault,
    private readonly settings: TenantsSettings,
  ) {}

  /** Runs in the transaction that creates the tenant, so its first event finds the endpoint. */
  async open(tenantId: string, em: EntityManager): Promise<void> {
    const { version } = await this.vault.put({ tenantId, alias: ALIAS, value: this.settings.projectionSecret }, em);
    const endpoint = {
      ...{ endpointId: uuidv7(), tenantId, url: 'nats:kernel.events', dispatcher: 'nats' },
      ...{ subscribedTypes: [governanceChanged.type], signingSecretAlias: ALIAS, retry: RETRY },
    };
    await insertProjectionEndpoint(em.getKysely(), endpoint);
    const source = { tenantId, actor: ACTOR, traceId: currentTraceId() ?? newTraceId() };
    const { endpointId, ...after } = endpoint;
    await appendEntries(em.getKysely(), [
      ledgerEntry({ ...source, kind: 'secret-put', detail: { alias: ALIAS, version } }),
      ledgerEntry({ ...source, kind: 'endpoint-created', endpointId, detail: { after } }),
    ]);
  }
}
