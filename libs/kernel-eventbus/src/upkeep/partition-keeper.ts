import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { EventBusConfig } from '../eventbus.config.js';
import { Clock, engineDatabase, UPKEEP_STATEMENT_MS } from '@kernel/runtime';
import { listPartitions, makePartition, type MakeResult } from './partitions.sql.js';
import { LockPatience } from './lock-patience.js';
import { partitionName, type Partition } from '../envelope/partition-range.js';
import { missingPartitions } from './plan-partitions.js';

export interface PartitionRound extends Partition {
  /** `locked`: the outbox was in use for too long; the next round retries. */
  outcome: Exclude<MakeResult['outcome'], 'busy'> | 'locked';
  moved: number;
}

/** Creates the outbox's partitions ahead of time. Events without a partition are stored in the default one. */
@Injectable()
export class PartitionKeeper {
  readonly #logger = new Logger(PartitionKeeper.name);

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly clock: Clock,
    private readonly patience: LockPatience,
  ) {}

  /** Existing partitions, oldest first. */
  async list(): Promise<Partition[]> {
    return (await listPartitions(engineDatabase(this.em, UPKEEP_STATEMENT_MS))).partitions;
  }

  async round(signal?: AbortSignal): Promise<PartitionRound[]> {
    const missing = missingPartitions(this.clock.now().getTime(), await this.list(), this.config.partitions);
    const done: PartitionRound[] = [];
    for (const range of missing) {
      const partition = { ...range, name: partitionName(range), ...(await this.make(range, signal)) };
      done.push(partition);
      this.note(partition);
      if (partition.outcome === 'locked') {
        break;
      }
    }
    return done;
  }

  private async make(range: Parameters<typeof makePartition>[1], signal?: AbortSignal) {
    const result = await this.patience.try(async (tries) => {
      const { outcome, moved } = await makePartition(engineDatabase(this.em, UPKEEP_STATEMENT_MS), range, {
        locksReaders: tries % 2 === 0,
      });
      return outcome === 'busy' ? outcome : { outcome, moved };
    }, signal);
    return result ?? { outcome: 'locked' as const, moved: 0 };
  }

  private note({ name, outcome, moved }: PartitionRound): void {
    switch (outcome) {
      case 'made':
        return this.#logger.log({ msg: 'partition made', partition: name, moved });
      case 'exists':
        return;
      case 'crowded':
        return this.#logger.warn({
          msg: 'partition not made: too many of its events lie in the default partition, which keeps them',
          partition: name,
        });
      case 'locked':
        return this.#logger.warn({ msg: 'partition not made yet: the outbox is locked', partition: name });
    }
  }
}
