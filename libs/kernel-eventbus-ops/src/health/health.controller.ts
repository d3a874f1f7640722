import { Controller, Get, Req, Res, ServiceUnavailableException, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { Exchange } from '@kernel/runtime';
import { BacklogHealthIndicator } from './backlog.health-indicator.js';
import { DatabaseHealthIndicator } from './database.health-indicator.js';
import { withNotes } from './side-note.js';
import { MigrationsHealthIndicator } from './migrations.health-indicator.js';
import { WorkerHealthIndicator } from './worker.health-indicator.js';

const TIMEOUT_MS = 2_000;

/** Answers itself: interceptors of the host would wrap the result, and filters would hide the name of a failed check. */
@Controller({ path: 'health', version: VERSION_NEUTRAL })
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
  live(@Req() request: object, @Res() response: object): void {
    Exchange.of(request, response).sendJson({ status: 'ok', info: {}, error: {}, details: {} });
  }

  /**
   * Depends on database and migrations. Missing workers and slow receivers report as degraded, because they must not
   * take the API out of rotation.
   */
  @Get('ready')
  @HealthCheck()
  async ready(@Req() request: object, @Res() response: object): Promise<void> {
    const exchange = Exchange.of(request, response);
    const [result, workers, backlog] = await Promise.all([
      this.decide(),
      this.workers.check(TIMEOUT_MS),
      this.backlog.check(TIMEOUT_MS),
    ]);
    exchange.status = result.status === 'ok' ? 200 : 503;
    exchange.sendJson(withNotes(result, { workers, backlog }));
  }

  /** Terminus throws a result that is not `ok`. */
  private async decide(): Promise<HealthCheckResult> {
    try {
      return await this.health.check([
        () => this.database.check('database', TIMEOUT_MS),
        () => this.migrations.check('migrations', TIMEOUT_MS),
      ]);
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) {
        throw error;
      }
      return error.getResponse() as HealthCheckResult;
    }
  }
}
