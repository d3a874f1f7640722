import { PolicyStore, type PolicyRule } from '@kernel/privacy';
import { MasterKey, PostgresSecretVault } from '@kernel/secrets';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { erpEvents } from '../invoices/invoice.events.js';
import { lockDemo } from './lock-demo.sql.js';
import { upsertDemoEndpoint } from './upsert-demo-endpoint.sql.js';

export const DEMO_TENANT_ID = '00000000-0000-4000-8000-000000000310';
const ENDPOINT_ID = '00000000-0000-4000-8000-000000000311';
const SECRET_ALIAS = 'demo-receiver';

/** What tells nothing of the customer. Name, e-mail and tax id have no rule, so they stay inside. */
const RULES: PolicyRule[] = ['invoiceId', 'postingId', 'lines', 'region', 'totalCents', 'status', 'postedAt'].map(
  (field) => ({ path: `$.${field}`, action: 'keep' }),
);

/** Derived, so that the receiver can be given it before the vault is open, and again after every restart. */
export function demoSecret(masterKey: string): string {
  return `whsec_${MasterKey.fromBase64(masterKey).derive('demo-receiver', DEMO_TENANT_ID).toString('base64')}`;
}

/** A tenant to try things with: its endpoint is the receiver that runs beside the app. */
@Injectable()
export class DemoTenant {
  constructor(
    private readonly em: EntityManager,
    private readonly vault: PostgresSecretVault,
    private readonly policies: PolicyStore,
  ) {}

  /** Makes what is missing and points the endpoint to the receiver. What an operator changed since stays as it is. */
  async provide(receiverUrl: string, secret: string): Promise<void> {
    await this.em.fork().transactional(async (em) => {
      await lockDemo(em.getKysely());
      await this.provideSecret(secret, em);
      await this.providePolicies(em);
      await upsertDemoEndpoint(em.getKysely(), {
        endpointId: ENDPOINT_ID,
        tenantId: DEMO_TENANT_ID,
        name: 'Demo receiver',
        url: `${receiverUrl}/webhooks`,
        subscribedTypes: erpEvents.map(({ type }) => type),
        signingSecretAlias: SECRET_ALIAS,
      });
    });
  }

  private async provideSecret(secret: string, em: EntityManager): Promise<void> {
    const live = await this.vault.liveVersions(DEMO_TENANT_ID, SECRET_ALIAS);
    if (!live.some(({ value }) => value.reveal() === secret)) {
      await this.vault.put({ tenantId: DEMO_TENANT_ID, alias: SECRET_ALIAS, value: secret }, em);
    }
  }

  private async providePolicies(em: EntityManager): Promise<void> {
    for (const { type } of erpEvents) {
      const current = await this.policies.current(DEMO_TENANT_ID, type, em);
      if (current?.tenantId !== DEMO_TENANT_ID) {
        await this.policies.put({ tenantId: DEMO_TENANT_ID, eventType: type, rules: RULES, createdBy: 'demo' }, em);
      }
    }
  }
}
