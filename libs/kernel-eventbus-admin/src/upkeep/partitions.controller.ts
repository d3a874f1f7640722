import { EntityManager } from '@mikro-orm/postgresql';
import { Get } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import {
  describePartitions,
  listPartitions,
  type PartitionSize,
  type Partition as Range,
  planExpiry,
  EventBusConfig,
} from '@kernel/eventbus/engine';
import { AdminController } from '../access/admin-controller.js';
import { OnlyRole } from '../access/admin-guard.js';
import { Query } from '../access/input.js';
import { encodeCursor } from '../paging/cursor.js';
import { toPage } from '../paging/page.js';
import { NameCursor, type Partition, PartitionPage, PartitionQuery, toBounds } from './upkeep.dto.js';

@AdminController('partitions')
@OnlyRole('operator')
export class PartitionsController {
  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
  ) {}

  /** The outbox's partitions, newest first. The default partition sorts last by name. */
  @Get()
  @ApiOperation({ summary: 'List the partitions of the outbox' })
  @ZodResponse({ status: 200, type: PartitionPage })
  async list(@Query() { limit, cursor }: PartitionQuery) {
    const before = NameCursor.position(cursor);
    const sizes = await describePartitions(this.em.fork().getKysely());
    const newestFirst = sizes.sort((a, b) => (a.name < b.name ? 1 : -1));
    const behind = newestFirst.filter(({ name }) => before === undefined || name < before);
    const toItem = await this.describe();
    return toPage(behind, limit, { toItem, toCursor: ({ name }) => encodeCursor(name) });
  }

  private async describe(): Promise<(size: PartitionSize) => Partition> {
    const { nowMs, partitions } = await listPartitions(this.em.fork().getKysely());
    const expired = new Set(planExpiry(nowMs, partitions, this.config.retention).partitions.map(({ name }) => name));
    const ranges = new Map(partitions.map((partition) => [partition.name, partition]));
    return ({ name, estimatedEvents, bytes }) => {
      const range = ranges.get(name);
      return {
        ...(range ? toBounds(range) : { name, from: null, to: null }),
        state: stateOf(range, nowMs, expired),
        estimatedEvents: estimatedEvents === null ? null : Math.round(estimatedEvents),
        bytes: Number(bytes),
      };
    };
  }
}

function stateOf(range: Range | undefined, nowMs: number, expired: ReadonlySet<string>): Partition['state'] {
  if (!range) {
    return 'default';
  }
  if (range.fromMs > nowMs) {
    return 'ahead';
  }
  if (range.toMs > nowMs) {
    return 'current';
  }
  return expired.has(range.name) ? 'expired' : 'past';
}
