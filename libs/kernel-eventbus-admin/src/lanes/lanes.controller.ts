import { Get, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { problems } from '@kernel/http';
import { TenantScope, encodeCursor, IdCursor, toPage } from '@kernel/eventbus/engine';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, Params, Principal, Query } from '../access/input.js';
import { IdParams } from '../request-fields.js';
import { LaneSkipper } from './lane-skipper.js';
import { LaneResponse, LanePage, LaneQuery, SkipRequest, toLaneResponse } from './lane.dto.js';
import { selectLanes, type ListedLane } from './select-lanes.sql.js';

@AdminController('lanes')
export class LanesController {
  constructor(
    private readonly scope: TenantScope,
    private readonly skipper: LaneSkipper,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List lanes of ordered endpoints' })
  @ZodResponse({ status: 200, type: LanePage })
  async list(@Principal() principal: AdminPrincipal, @Query() query: LaneQuery) {
    const { tenantId, endpointId, blocked, limit, cursor } = query;
    const wanted = {
      tenantId: principal.scopeTo(tenantId),
      endpointId,
      isBlocked: blocked === undefined ? undefined : blocked === 'true',
      before: IdCursor.position(cursor),
      limit: limit + 1,
    };
    const lanes = await this.scope.read(principal, (em) => selectLanes(em.getKysely(), wanted));
    return toPage(lanes, limit, { toItem: toLaneResponse, toCursor: ({ laneId }) => encodeCursor(laneId) });
  }

  @Post(':id/skip')
  @ApiOperation({ summary: 'Skip the dead letter that blocks a lane' })
  @ZodResponse({ status: 202, type: LaneResponse })
  async skip(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams, @Body() { reason }: SkipRequest) {
    const lane = await this.find(principal, id);
    const result = await this.skipper.skip(principal, lane, reason);
    switch (result.kind) {
      case 'skipped':
        return toLaneResponse(result.lane);
      case 'not-blocked':
        throw problems.conflict('this lane is not blocked: there is no dead letter at its head to skip');
    }
  }

  private async find(principal: AdminPrincipal, laneId: string): Promise<ListedLane> {
    const [lane] = await this.scope.read(principal, (em) => selectLanes(em.getKysely(), { laneId, limit: 1 }));
    if (!lane) {
      throw problems.notFound('lane');
    }
    return lane;
  }
}
