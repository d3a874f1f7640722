import { Get } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { ALL, TenantScope, encodeCursor, IdCursor, toPage } from '@kernel/eventbus/engine';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Principal, Query } from '../access/input.js';
import { selectTenants } from './select-tenants.sql.js';
import { TenantPage, TenantQuery } from './tenant.dto.js';

@AdminController('tenants')
export class TenantsController {
  constructor(private readonly scope: TenantScope) {}

  /** A tenant admin sees only its own tenant. */
  @Get()
  @ApiOperation({ summary: 'List tenants with an endpoint or events' })
  @ZodResponse({ status: 200, type: TenantPage })
  async list(@Principal() principal: AdminPrincipal, @Query() { limit, cursor }: TenantQuery) {
    const position = { after: IdCursor.position(cursor) ?? ALL, limit: limit + 1 };
    const tenants = await this.scope.read(principal, (em) => selectTenants(em.getKysely(), position));
    return toPage(tenants, limit, {
      toItem: (tenant) => tenant,
      toCursor: ({ tenantId }) => encodeCursor(tenantId),
    });
  }
}
