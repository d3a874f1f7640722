import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '../../eventbus.config.js';
import { countLiveWorkers } from './workers.sql.js';

/** Workers belong to no tenant, so every principal may see their number. */
@Injectable()
export class WorkerCount {
  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
  ) {}

  async alive(): Promise<number> {
    const { live } = await countLiveWorkers(this.em.fork().getKysely(), this.config.heartbeat.silentMs);
    return live;
  }
}
