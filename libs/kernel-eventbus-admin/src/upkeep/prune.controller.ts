import { Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { RetentionForecast, RetentionKeeper, TenantScope } from '@kernel/eventbus/engine';
import { AdminController } from '../access/admin-controller.js';
import { OnlyRole } from '../access/admin-guard.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, Principal } from '../access/input.js';
import { PruneResponse, PruneRequest, toBounds } from './upkeep.dto.js';

/** Some thousand rows of each kind, to respond within seconds. The scheduled job removes more. */
const MAX_BATCHES = 20;

@AdminController('prune')
@OnlyRole('operator')
export class PruneController {
  constructor(
    private readonly scope: TenantScope,
    private readonly retention: RetentionKeeper,
    private readonly forecast: RetentionForecast,
  ) {}

  /** Removes finished data past its retention now, instead of in the next hourly run. */
  @Post()
  @ApiOperation({ summary: 'Drop what retention no longer keeps' })
  @ZodResponse({ status: 200, type: PruneResponse })
  async prune(@Principal() principal: AdminPrincipal, @Body() { dryRun = false }: PruneRequest) {
    const { partitions, deliveries, defaultEvents, isComplete } = await this.scope.holdLong(principal, async () =>
      dryRun
        ? { ...(await this.forecast.make()), isComplete: true }
        : this.retention.round(undefined, { actor: principal.actor, maxBatches: MAX_BATCHES }),
    );
    const { delivered, deadLetters } = deliveries;
    return {
      dryRun,
      partitions: partitions.map(({ outcome, events, pending, retained, ...partition }) => ({
        ...toBounds(partition),
        ...{ outcome, events, pending, retained },
      })),
      deliveries: { delivered, deadLetters },
      defaultEvents,
      isComplete,
    };
  }
}
