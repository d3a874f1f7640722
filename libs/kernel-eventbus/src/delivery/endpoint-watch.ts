import { EntityManager } from '@mikro-orm/postgresql';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { EventBusConfig } from '../eventbus.options.js';
import { engineDatabase } from '../runtime/engine-database.js';
import { faultOf } from '../runtime/fault.js';
import { Rounds } from '../runtime/rounds.js';
import { WakeUp, type EndpointChange } from '../runtime/wake-up.js';
import { HeldWork } from './held-work.js';
import { selectEndpointVersions, type EndpointVersion } from './select-endpoint-versions.sql.js';

const NAME = 'kernel-eventbus-endpoint-watch';

/**
 * Looks with every heartbeat whether endpoints that this worker holds deliveries for have changed since these were taken. NOTIFY tells
 * of changes sooner, but not behind a transaction pooler, nor while the listener is not connected. A worker that holds nothing asks
 * nothing.
 */
@Injectable()
export class EndpointWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger(EndpointWatch.name);
  readonly #rounds: Rounds;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly held: HeldWork,
    private readonly wakeUp: WakeUp,
    scheduler: SchedulerRegistry,
  ) {
    this.#rounds = new Rounds(scheduler, NAME, () => this.look());
  }

  onApplicationBootstrap(): void {
    if (this.config.role !== 'api') {
      this.#rounds.start(this.config.heartbeat.intervalMs);
    }
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.#rounds.stop();
  }

  private async look(): Promise<void> {
    try {
      await this.findChanges();
    } catch (error) {
      this.#logger.debug({ msg: 'changed endpoints were not looked for; trying again', fault: faultOf(error) });
    }
  }

  private async findChanges(): Promise<void> {
    // What is taken from now on is left to the next look: this one may find a row as it was before.
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
        // Told once: what was taken after the change is not turned away again as long as this is in flight.
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
