import { EventRefusedError, Inbox, type InboxEvent } from '@kernel/inbox';
import { JetStreamConsumer } from '@kernel/inbox/jetstream';
import type { EntityManager } from '@mikro-orm/postgresql';
import { connect } from '@nats-io/transport-node';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { z } from 'zod';
import { ProjectionSettings } from './projection-settings.js';
import { putGovernance } from './governance.sql.js';

/** The last token is the event's type, escaped by the sink. */
const SUBJECT = 'kernel.events.*.*.governance%2Echanged%2Ev1';

/** The used part of the other service's event, declared again: services share no code. */
const Change = z.object({
  version: z.int(),
  governance: z.object({ name: z.string(), plan: z.string(), retentionDays: z.int(), residency: z.string() }),
});

/** Keeps the projection: each change once, in the order of its tenant. */
@Injectable()
export class GovernanceKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  #consumer: JetStreamConsumer | undefined;

  constructor(
    private readonly inbox: Inbox,
    private readonly settings: ProjectionSettings,
  ) {}

  onApplicationBootstrap(): void {
    const { natsUrl: servers, ackWaitMs } = this.settings;
    this.#consumer = JetStreamConsumer.start(
      this.inbox,
      {
        connection: () => connect({ servers, maxReconnectAttempts: -1, name: 'governance-projection' }),
        durable: 'governance-projection',
        filterSubject: SUBJECT,
        ackWaitMs,
        // Tenants may have endpoints to the same stream with other keys: one of them must not block the others.
        unverified: 'give-up',
      },
      (event, em) => this.keep(event, em),
    );
  }

  /** Stops before the database closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#consumer?.stop();
  }

  private async keep({ tenantId, occurredAt: changedAt, payload }: InboxEvent, em: EntityManager): Promise<void> {
    const change = Change.safeParse(payload);
    if (!change.success) {
      throw new EventRefusedError('the payload is not a change of governance as version 1 has it');
    }
    await putGovernance(em.getKysely(), { tenantId, changedAt, ...change.data });
  }
}
