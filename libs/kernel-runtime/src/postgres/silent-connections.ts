import { EntityManager } from '@mikro-orm/postgresql';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { engineDatabase } from './engine-database.js';
import { faultOf } from '../fault.js';
import { selectIdleBackends } from './idle-backends.sql.js';
import { type HeldConnection, LostConnections } from './lost-connections.js';
import { IntervalJob } from '../interval-job.js';
import { namesOf } from './statement-names.js';

const NAME = 'kernel-eventbus-silent-connections';
const LOOK_EVERY_MS = 10_000;
const GONE = 'gone';

/**
 * Closes connections that wait for an answer although the server is idle or gone, because the network between them
 * dropped it. The engine's statements have deadlines; this covers those of handlers, admin requests and the host, which
 * may take long and would occupy the pool forever. A connection is silent if two checks find it waiting and its backend
 * idle since the same time. Behind a pooler the backend is unknown, so nothing is closed.
 */
@Injectable()
export class SilentConnections implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger(SilentConnections.name);
  readonly #job: IntervalJob;
  /** Start of the backend's idle time per waiting connection, from the last check. */
  #idleSince = new Map<HeldConnection, string>();

  constructor(
    private readonly em: EntityManager,
    private readonly connections: LostConnections,
    scheduler: SchedulerRegistry,
  ) {
    this.#job = new IntervalJob(scheduler, NAME, () => this.look());
  }

  onApplicationBootstrap(): void {
    this.#job.start(LOOK_EVERY_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.#job.stop();
  }

  private async look(): Promise<void> {
    const { isDirect } = namesOf(this.em.getConnection().getClient());
    const waiting = isDirect ? [...this.connections.held].filter(({ readyForQuery }) => readyForQuery === false) : [];
    if (waiting.length === 0) {
      this.#idleSince.clear();
      return;
    }
    try {
      this.closeSilent(await this.idleSinceOf(waiting));
    } catch (error) {
      this.#logger.debug({ msg: 'the server could not be asked for its connections', fault: faultOf(error) });
    }
  }

  private async idleSinceOf(waiting: readonly HeldConnection[]): Promise<Map<HeldConnection, string>> {
    const backends = await selectIdleBackends(
      engineDatabase(this.em),
      waiting.flatMap(({ processID }) => processID ?? []),
    );
    return new Map(
      waiting.flatMap((connection) => {
        const backend = backends.get(connection.processID ?? 0) ?? { idleSince: GONE };
        return backend.idleSince === null ? [] : [[connection, backend.idleSince] as const];
      }),
    );
  }

  private closeSilent(idleSince: Map<HeldConnection, string>): void {
    for (const [connection, since] of idleSince) {
      if (this.#idleSince.get(connection) === since && connection.readyForQuery === false) {
        this.#logger.warn({ msg: 'a connection to the database went silent and is closed', pid: connection.processID });
        void connection.end();
        idleSince.delete(connection);
      }
    }
    this.#idleSince = idleSince;
  }
}
