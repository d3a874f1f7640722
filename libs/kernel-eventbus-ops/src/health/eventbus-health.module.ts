import { kernelOrmProviders } from '@kernel/eventbus/engine';
import { type DynamicModule, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { configureController } from '@kernel/runtime';
import { BacklogHealthIndicator } from './backlog.health-indicator.js';
import { DatabaseHealthIndicator } from './database.health-indicator.js';
import { HealthController } from './health.controller.js';
import { type EventBusHealthOptions, resolveHealthOptions } from './health.options.js';
import { MigrationsHealthIndicator } from './migrations.health-indicator.js';
import { WorkerHealthIndicator } from './worker.health-indicator.js';

const PARTS = {
  imports: [TerminusModule.forRoot({ errorLogStyle: 'json' })],
  providers: [
    ...kernelOrmProviders,
    DatabaseHealthIndicator,
    MigrationsHealthIndicator,
    WorkerHealthIndicator,
    BacklogHealthIndicator,
  ],
};

/** Without a controller of its own, which would join that of `forRoot`. */
@Module({})
class ConfiguredHealthModule {}

/** `GET /health/live` and `GET /health/ready`. Needs `EventBusModule` beside it. */
@Module({ ...PARTS, controllers: [HealthController] })
export class EventBusHealthModule {
  static forRoot(options: EventBusHealthOptions = {}): DynamicModule {
    const { decorators } = resolveHealthOptions(options);
    const controllers = [configureController(HealthController, { path: 'health', decorators })];
    return { module: ConfiguredHealthModule, ...PARTS, controllers };
  }
}
