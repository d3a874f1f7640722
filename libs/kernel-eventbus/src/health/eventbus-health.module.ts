import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { DatabaseHealthIndicator } from './database.health-indicator.js';
import { HealthController } from './health.controller.js';
import { MigrationsHealthIndicator } from './migrations.health-indicator.js';

/** `GET /health/live` and `GET /health/ready`. Needs `MikroOrmModule.forRoot` beside it. */
@Module({
  imports: [TerminusModule.forRoot({ errorLogStyle: 'json' })],
  controllers: [HealthController],
  providers: [DatabaseHealthIndicator, MigrationsHealthIndicator],
})
export class EventBusHealthModule {}
