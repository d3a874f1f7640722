import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { findOldestDue } from '../backlog/find-oldest-due.sql.js';
import { EventBusConfig } from '@kernel/eventbus/engine';
import type { SideNote } from './side-note.js';
import { withinTime } from './within-time.js';

/** Names of the stages in the response. */
const NAMES = { routing: 'events', delivery: 'deliveries', lane: 'lanes', suspect: 'suspects' } as const;
const NOTHING_DUE = { events: 0, deliveries: 0, lanes: 0, suspects: 0 };

/** Degraded if an event to route, or a delivery to an endpoint with a closed circuit, has been due for too long. */
@Injectable()
export class BacklogHealthIndicator {
  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
  ) {}

  async check(timeoutMs: number): Promise<SideNote> {
    const oldest = await withinTime(this.oldestDueMs(timeoutMs), timeoutMs);
    if (!oldest) {
      return { status: 'degraded', message: 'the database did not say what is due' };
    }
    const { maxDueAgeMs } = this.config.health;
    const late = Object.entries(oldest).filter(([, ageMs]) => ageMs > maxDueAgeMs);
    return late.length > 0
      ? {
          status: 'degraded',
          message: `due for more than ${maxDueAgeMs} ms: ${late.map(([what]) => what).join(', ')}`,
          ...oldest,
        }
      : { status: 'up', ...oldest };
  }

  /** The statement has the same timeout, so repeated probes do not pile up in the database. */
  private async oldestDueMs(timeoutMs: number): Promise<typeof NOTHING_DUE> {
    const session = { variables: { statement_timeout: String(timeoutMs) } };
    const due = await this.em
      .fork({ session })
      .transactional((em) => findOldestDue(em.getKysely()), { readOnly: true });
    const ours = due.filter(({ isCircuitOpen }) => !isCircuitOpen);
    return ours.reduce(
      (ages, { stage, seconds }) => ({ ...ages, [NAMES[stage]]: Math.round(seconds * 1_000) }),
      NOTHING_DUE,
    );
  }
}
