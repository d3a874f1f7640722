import { Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { RetentionForecast } from '../../upkeep/retention-forecast.js';
import { RetentionKeeper } from '../../upkeep/retention-keeper.js';
import { AdminController } from '../access/admin-controller.js';
import { OnlyRole } from '../access/admin-guard.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, Principal } from '../access/input.js';
import { PruneAnswer, PruneOrder, toBounds } from './upkeep.dto.js';

/** Some thousands of each kind: an answer should come within seconds. The schedule goes further. */
const MAX_BATCHES = 20;

@AdminController('prune')
@OnlyRole('operator')
export class PruneController {
  constructor(
    private readonly retention: RetentionKeeper,
    private readonly forecast: RetentionForecast,
  ) {}

  /** Removes what is settled and past its retention, now instead of at the next hour. */
  @Post()
  @ApiOperation({ summary: 'Drop what retention no longer keeps' })
  @ZodResponse({ status: 200, type: PruneAnswer })
  async prune(@Principal() principal: AdminPrincipal, @Body() { dryRun = false }: PruneOrder) {
    const { partitions, deliveries, defaultEvents, isComplete } = dryRun
      ? { ...(await this.forecast.make()), isComplete: true }
      : await this.retention.round(undefined, { actor: principal.actor, maxBatches: MAX_BATCHES });
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
