import { Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { LedgerEntryEntity } from '../../audit/ledger-entry.entity.js';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Principal } from '../access/principal.decorator.js';
import { TenantScope } from '../access/tenant-scope.js';
import { TakesQuery } from '../access/undeclared-input.interceptor.js';
import { encodeCursor, IdCursor } from '../paging/cursor.js';
import { defined } from '../paging/defined.js';
import { toPage } from '../paging/page.js';
import { withinTimes } from '../paging/within-times.js';
import { ledgerConditions } from './ledger-conditions.js';
import { AuditPage, AuditQuery, toAuditAnswer } from './audit.dto.js';

@AdminController('audit')
export class AuditController {
  constructor(private readonly scope: TenantScope) {}

  @Get()
  @ApiOperation({ summary: 'List entries of the ledger, newest first' })
  @TakesQuery()
  @ZodResponse({ status: 200, type: AuditPage })
  async list(@Principal() principal: AdminPrincipal, @Query() query: AuditQuery) {
    const { tenantId, since, until, limit, cursor, ...equal } = query;
    const before = IdCursor.position(cursor);
    const ofTenant = principal.scopeTo(tenantId);
    const rows = await this.scope.read(principal, async (em) =>
      em.find(
        LedgerEntryEntity,
        defined({
          ...equal,
          tenantId: ofTenant,
          recordedAt: withinTimes(since, until),
          entryId: before && { $lt: before },
          $and: await ledgerConditions(em, { ...equal, until }),
        }),
        { orderBy: { entryId: 'desc' }, limit: limit + 1 },
      ),
    );
    return toPage(rows, limit, { toItem: toAuditAnswer, toCursor: ({ entryId }) => encodeCursor(entryId) });
  }
}
