import {
  appendEntries,
  ledgerEntry,
  newTraceId,
  splitUrl,
  WebhookEndpointEntity,
  type LedgerEntry,
} from '@kernel/eventbus';
import { PolicyStore, type PolicyRule } from '@kernel/privacy';
import { MasterKey, PostgresSecretVault } from '@kernel/secrets';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { erpEvents } from '../invoices/invoice.events.js';
import { lockDemo, upsertDemoEndpoint } from './demo.sql.js';

export const DEMO_TENANT_ID = '00000000-0000-4000-8000-000000000310';
const ENDPOINT_ID = '00000000-0000-4000-8000-000000000311';
const SECRET_ALIAS = 'demo-receiver';
const ACTOR = 'demo';

/** A change made for the tenant, for the ledger. */
type Fact = Omit<LedgerEntry, 'entryId' | 'tenantId' | 'actor' | 'traceId'>;

/** Fields without customer data. Name, e-mail and tax id have no rule, so they do not go out. */
const RULES: PolicyRule[] = ['invoiceId', 'postingId', 'lines', 'region', 'totalCents', 'status', 'postedAt'].map(
  (field) => ({ path: `$.${field}`, action: 'keep' }),
);

/** Derived, so the receiver can get it before the vault is open, and again after every restart. */
export function demoSecret(masterKey: string): string {
  return `whsec_${MasterKey.fromBase64(masterKey).derive('demo-receiver', DEMO_TENANT_ID).toString('base64')}`;
}

/** A tenant for experiments: its endpoint is the receiver that runs beside the app. */
@Injectable()
export class DemoTenant {
  constructor(
    private readonly em: EntityManager,
    private readonly vault: PostgresSecretVault,
    private readonly policies: PolicyStore,
  ) {}

  /** Creates missing parts and points the endpoint to the receiver. Changes by an operator are kept. */
  async provide(receiverUrl: string, secret: string): Promise<void> {
    await this.em.fork().transactional(async (em) => {
      await lockDemo(em.getKysely());
      const facts = [
        ...(await this.provideSecret(secret, em)),
        ...(await this.providePolicies(em)),
        ...(await this.provideEndpoint(`${receiverUrl}/webhooks`, em)),
      ];
      const source = { tenantId: DEMO_TENANT_ID, actor: ACTOR, traceId: newTraceId() };
      await appendEntries(
        em.getKysely(),
        facts.map((fact) => ledgerEntry({ ...fact, ...source })),
      );
    });
  }

  private async provideSecret(secret: string, em: EntityManager): Promise<Fact[]> {
    const live = await this.vault.liveVersions(DEMO_TENANT_ID, SECRET_ALIAS);
    if (live.some(({ value }) => value.reveal() === secret)) {
      return [];
    }
    const { alias, version } = await this.vault.put(
      { tenantId: DEMO_TENANT_ID, alias: SECRET_ALIAS, value: secret },
      em,
    );
    return [{ kind: 'secret-put', detail: { alias, version } }];
  }

  private async providePolicies(em: EntityManager): Promise<Fact[]> {
    const facts: Fact[] = [];
    for (const { type: eventType } of erpEvents) {
      const current = await this.policies.current(DEMO_TENANT_ID, eventType, em);
      if (current?.tenantId !== DEMO_TENANT_ID) {
        const policy = { tenantId: DEMO_TENANT_ID, eventType, rules: RULES, createdBy: ACTOR };
        const { policyId, version, rules } = await this.policies.put(policy, em);
        const detail = { before: null, after: { version, rules } };
        facts.push({ kind: 'policy-put', eventType, policyId, policyVersion: version, detail });
      }
    }
    return facts;
  }

  private async provideEndpoint(url: string, em: EntityManager): Promise<Fact[]> {
    const ids = { endpointId: ENDPOINT_ID, tenantId: DEMO_TENANT_ID };
    const settings = {
      name: 'Demo receiver',
      url,
      subscribedTypes: erpEvents.map(({ type }) => type),
      signingSecretAlias: SECRET_ALIAS,
    };
    const before = await em.findOne(WebhookEndpointEntity, ids, { lockMode: LockMode.PESSIMISTIC_WRITE });
    await upsertDemoEndpoint(em.getKysely(), { ...ids, ...settings });
    if (!before) {
      return [{ kind: 'endpoint-created', endpointId: ENDPOINT_ID, detail: { after: settings } }];
    }
    const detail = { before: { url: splitUrl(before.url).shown }, after: { url } };
    return before.url === url && before.urlSetByOperator
      ? []
      : [{ kind: 'endpoint-updated', endpointId: ENDPOINT_ID, detail }];
  }
}
