import { Get } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { noActivity, readHealth, readNow, type EndpointActivity, TenantScope } from '@kernel/eventbus/engine';
import { startOf, toSeries } from '../activity/activity-series.js';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Principal, Query } from '../access/input.js';
import { HealthResponse, HealthQuery } from '../stats/stats.dto.js';

const ENDPOINTS = 200;
const LAST_DAY = { stepSeconds: 3_600, storedSeconds: 1_800, steps: 24 };

@AdminController('endpoints')
export class EndpointHealthController {
  constructor(private readonly scope: TenantScope) {}

  /** The newest 200 endpoints, in list order. */
  @Get('health')
  @ApiOperation({ summary: 'Tell how endpoints did in the last 24 hours' })
  @ZodResponse({ status: 200, type: HealthResponse })
  async list(@Principal() principal: AdminPrincipal, @Query() { tenantId: requested }: HealthQuery) {
    const tenantId = principal.scopeTo(requested);
    const { fromMs, rows } = await this.scope.read(principal, async (em) => {
      const fromMs = startOf(LAST_DAY, await readNow(em.getKysely()));
      const query = { tenantId, stepSeconds: LAST_DAY.storedSeconds, fromMs, endpoints: ENDPOINTS };
      return { fromMs, rows: await readHealth(em.getKysely(), query) };
    });
    return {
      items: [...Map.groupBy(rows, ({ endpointId }) => endpointId)].map(([endpointId, steps]) => ({
        endpointId,
        series: toSeries(LAST_DAY, fromMs, steps.flatMap(toStored)).map(({ atMs, delivered, failedAttempts }) => ({
          ...{ at: new Date(atMs).toISOString(), delivered, failedAttempts },
        })),
      })),
    };
  }
}

function toStored({ startsAtMs, delivered, failedAttempts }: EndpointActivity) {
  return startsAtMs === null
    ? []
    : { ...noActivity(), startsAtMs, delivered: delivered ?? 0, failedAttempts: failedAttempts ?? 0 };
}
