import { Get } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { TenantScope } from '@kernel/eventbus/engine';
import { planByIndexes } from '../activity/plan-by-indexes.js';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Principal, Query } from '../access/input.js';
import { GroupResponse, GroupQuery, toGroupResponse } from './dead-letter-group.dto.js';
import { selectDeadLetterGroups } from './select-dead-letter-groups.sql.js';

@AdminController('deliveries')
export class DeadLetterGroupsController {
  constructor(private readonly scope: TenantScope) {}

  /** At most 200 groups, largest first. */
  @Get('groups')
  @ApiOperation({ summary: 'Count dead letters by endpoint and error class' })
  @ZodResponse({ status: 200, type: GroupResponse })
  async list(@Principal() principal: AdminPrincipal, @Query() query: GroupQuery) {
    const tenantId = principal.scopeTo(query.tenantId);
    const groups = await this.scope.read(principal, (em) =>
      planByIndexes(em, (db) => selectDeadLetterGroups(db, tenantId)),
    );
    return { items: groups.map(toGroupResponse) };
  }
}
