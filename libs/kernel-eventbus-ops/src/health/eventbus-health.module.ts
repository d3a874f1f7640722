import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { BacklogHealthIndicator } from './backlog.health-indicator.js';
import { DatabaseHealthIndicator } from './database.health-indicator.js';
import { HealthController } from './health.controller.js';
import { MigrationsHealthIndicator } from './migrations.health-indicator.js';
import { WorkerHealthIndicator } from './worker.health-indicator.js';

/** `GET /health/live` and `GET /health/ready`. Needs `EventBusModule` beside it. */
@Module({
  imports: [TerminusModule.forRoot({ errorLogStyle: 'json' })],
  controllers: [HealthController],
  providers: [DatabaseHealthIndicator, MigrationsHealthIndicator, WorkerHealthIndicator, BacklogHealthIndicator],
})
export class EventBusHealthModule {}
