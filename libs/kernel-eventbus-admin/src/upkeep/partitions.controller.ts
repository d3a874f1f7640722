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
  TenantScope,
  encodeCursor,
  toPage,
} from '@kernel/eventbus/engine';
import { AdminController } from '../access/admin-controller.js';
import { OnlyRole } from '../access/admin-guard.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Principal, Query } from '../access/input.js';
import { NameCursor, type Partition, PartitionPage, PartitionQuery, toBounds } from './upkeep.dto.js';

@AdminController('partitions')
@OnlyRole('operator')
export class PartitionsController {
  constructor(
    private readonly scope: TenantScope,
    private readonly config: EventBusConfig,
  ) {}

  /** The outbox's partitions, newest first. The default partition sorts last by name. */
  @Get()
  @ApiOperation({ summary: 'List the partitions of the outbox' })
  @ZodResponse({ status: 200, type: PartitionPage })
  async list(@Principal() principal: AdminPrincipal, @Query() { limit, cursor }: PartitionQuery) {
    const before = NameCursor.position(cursor);
    const sizes = await this.scope.read(principal, (em) => describePartitions(em.getKysely()));
    const newestFirst = sizes.sort((a, b) => (a.name < b.name ? 1 : -1));
    const behind = newestFirst.filter(({ name }) => before === undefined || name < before);
    const toItem = await this.describe(principal);
    return toPage(behind, limit, { toItem, toCursor: ({ name }) => encodeCursor(name) });
  }

  private async describe(principal: AdminPrincipal): Promise<(size: PartitionSize) => Partition> {
    const { nowMs, partitions } = await this.scope.read(principal, (em) => listPartitions(em.getKysely()));
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
