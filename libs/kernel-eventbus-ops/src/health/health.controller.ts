import { Controller, Get, UseFilters } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { BacklogHealthIndicator } from './backlog.health-indicator.js';
import { DatabaseHealthIndicator } from './database.health-indicator.js';
import { HealthResponseFilter } from './health-response.filter.js';
import { MigrationsHealthIndicator } from './migrations.health-indicator.js';
import { WorkerHealthIndicator } from './worker.health-indicator.js';

const TIMEOUT_MS = 2_000;

@Controller('health')
@UseFilters(HealthResponseFilter)
@ApiTags('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly database: DatabaseHealthIndicator,
    private readonly migrations: MigrationsHealthIndicator,
    private readonly workers: WorkerHealthIndicator,
    private readonly backlog: BacklogHealthIndicator,
  ) {}

  /** Checks only the process: with dependencies included, a database restart would restart every process as well. */
  @Get('live')
  @HealthCheck()
  live(): HealthCheckResult {
    return { status: 'ok', info: {}, error: {}, details: {} };
  }

  /**
   * Depends on database and migrations. Missing workers and slow receivers report as degraded, because they must not
   * take the API out of rotation.
   */
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
