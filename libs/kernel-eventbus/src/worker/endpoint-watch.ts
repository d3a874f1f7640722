import { EntityManager } from '@mikro-orm/postgresql';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { EventBusConfig } from '../eventbus.config.js';
import { engineDatabase, faultOf, IntervalJob } from '@kernel/runtime';
import { WakeUp, type EndpointChange } from '../runtime/wake-up.js';
import { HeldWork } from './held-work.js';
import { type EndpointVersion, selectEndpointVersions } from '../endpoints/endpoints.sql.js';

const NAME = 'kernel-eventbus-endpoint-watch';

/**
 * Polls with every heartbeat for changes of endpoints that this worker holds deliveries for. NOTIFY tells of changes
 * sooner, but not behind a transaction pooler or while the listener is disconnected. A worker that holds nothing sends
 * no query.
 */
@Injectable()
export class EndpointWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger(EndpointWatch.name);
  readonly #job: IntervalJob;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly held: HeldWork,
    private readonly wakeUp: WakeUp,
    scheduler: SchedulerRegistry,
  ) {
    this.#job = new IntervalJob(scheduler, NAME, () => this.poll());
  }

  onApplicationBootstrap(): void {
    if (this.config.role !== 'api') {
      this.#job.start(this.config.heartbeat.intervalMs);
    }
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.#job.stop();
  }

  private async poll(): Promise<void> {
    try {
      await this.findChanges();
    } catch (error) {
      this.#logger.debug({ msg: 'changed endpoints were not looked for; trying again', fault: faultOf(error) });
    }
  }

  private async findChanges(): Promise<void> {
    // Read before the query: it may return an older row than later claims have seen.
    const { flights } = this.held;
    if (flights.length === 0) {
      return;
    }
    const endpointIds = [...new Set(flights.map(({ endpointId }) => endpointId))];
    const found = await selectEndpointVersions(engineDatabase(this.em), endpointIds);
    const byId = new Map(found.map((endpoint) => [endpoint.endpointId, endpoint]));
    const changed = new Set<EndpointVersion>();
    for (const flight of flights) {
      const endpoint = byId.get(flight.endpointId);
      if (endpoint && endpoint.version !== flight.version) {
        // Reported once: claims after the change are not turned away again while this is in flight.
        flight.version = endpoint.version;
        changed.add(endpoint);
      }
    }
    changed.forEach((endpoint) => this.wakeUp.endpointChanged(changeOf(endpoint)));
  }
}

function changeOf({ endpointId, isEnabled, isDisabledByKernel, isDeleted }: EndpointVersion): EndpointChange {
  if (isDeleted) {
    return { endpointId, state: 'deleted' };
  }
  if (isEnabled) {
    return { endpointId, state: 'enabled' };
  }
  return isDisabledByKernel ? { endpointId } : { endpointId, state: 'disabled' };
}
