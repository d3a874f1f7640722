import { Get } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import {
  type ActivityCounts,
  type ActivityScope,
  percentilesOf,
  readActivity,
  readNow,
  TenantScope,
} from '@kernel/eventbus/engine';
import { startOf, toSeries, totalOf, WINDOWS } from '../activity/activity-series.js';
import { problems } from '@kernel/http';
import { WebhookEndpointEntity } from '@kernel/eventbus';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Principal, Query } from '../access/input.js';
import { PresentState } from './present-state.js';
import { StatsResponse, StatsQuery } from './stats.dto.js';

@AdminController('stats')
export class StatsController {
  constructor(
    private readonly scope: TenantScope,
    private readonly present: PresentState,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Tell how much was published and delivered' })
  @ZodResponse({ status: 200, type: StatsResponse })
  async get(@Principal() principal: AdminPrincipal, @Query() { window: name, ...asked }: StatsQuery) {
    const window = WINDOWS[name];
    const scope = await this.scopeOf(principal, asked);
    const { nowMs, stored } = await this.scope.read(principal, async (em) => {
      const nowMs = await readNow(em.getKysely());
      const range = { stepSeconds: window.storedSeconds, fromMs: startOf(window, nowMs) };
      return { nowMs, stored: await readActivity(em.getKysely(), scope, range) };
    });
    const fromMs = startOf(window, nowMs);
    const points = toSeries(window, fromMs, stored);
    const total = totalOf(points);
    return {
      window: name,
      from: toIso(fromMs),
      to: toIso(nowMs),
      stepSeconds: window.stepSeconds,
      now: await this.present.look(principal, scope),
      totals: { ...toResponse(total), successRate: successRate(total) },
      series: points.map(({ atMs, ...counts }) => ({ at: toIso(atMs), ...toResponse(counts) })),
    };
  }

  /** Activity of an endpoint is stored under its tenant. */
  private async scopeOf(
    principal: AdminPrincipal,
    { tenantId: requested, endpointId }: ActivityScope,
  ): Promise<ActivityScope> {
    const tenantId = principal.scopeTo(requested);
    if (endpointId === undefined) {
      return { tenantId };
    }
    const endpoint = await this.scope.read(principal, (em) =>
      em.findOne(WebhookEndpointEntity, { endpointId }, { filters: false }),
    );
    if (!endpoint || (tenantId !== undefined && endpoint.tenantId !== tenantId)) {
      throw problems.notFound('endpoint');
    }
    return { tenantId: endpoint.tenantId, endpointId };
  }
}

function toResponse({ latencyCounts, ...counts }: ActivityCounts) {
  return { ...counts, latencyMs: percentilesOf(latencyCounts) };
}

function successRate({ delivered, failedAttempts }: ActivityCounts): number | null {
  const attempts = delivered + failedAttempts;
  return attempts === 0 ? null : delivered / attempts;
}

function toIso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
