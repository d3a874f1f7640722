import { Controller, Get, UseFilters } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { BacklogHealthIndicator } from './backlog.health-indicator.js';
import { DatabaseHealthIndicator } from './database.health-indicator.js';
import { HealthAnswerFilter } from './health-answer.filter.js';
import { MigrationsHealthIndicator } from './migrations.health-indicator.js';
import { WorkerHealthIndicator } from './worker.health-indicator.js';

const TIMEOUT_MS = 2_000;

@Controller('health')
@UseFilters(HealthAnswerFilter)
@ApiTags('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly database: DatabaseHealthIndicator,
    private readonly migrations: MigrationsHealthIndicator,
    private readonly workers: WorkerHealthIndicator,
    private readonly backlog: BacklogHealthIndicator,
  ) {}

  /** The process answers; what it depends on does not count, or a database restart would restart every process too. */
  @Get('live')
  @HealthCheck()
  live(): HealthCheckResult {
    return { status: 'ok', info: {}, error: {}, details: {} };
  }

  /** Database and migrations decide. No worker, or slow receivers, show as degraded: they must not take the API out of rotation. */
  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([
      () => this.database.check('database', TIMEOUT_MS),
      () => this.migrations.check('migrations', TIMEOUT_MS),
      () => this.workers.check('workers', TIMEOUT_MS),
      () => this.backlog.check('backlog', TIMEOUT_MS),
    ]);
  }
}
