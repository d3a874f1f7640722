import { EntityManager } from '@mikro-orm/postgresql';
import { Get, Query } from '@nestjs/common';
import { ZodResponse } from 'nestjs-zod';
import { LedgerEntryEntity } from '../../audit/ledger-entry.entity.js';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Principal } from '../access/principal.decorator.js';
import { TakesQuery } from '../access/undeclared-input.interceptor.js';
import { encodeCursor, IdCursor } from '../paging/cursor.js';
import { defined } from '../paging/defined.js';
import { toPage } from '../paging/page.js';
import { withinTimes } from '../paging/within-times.js';
import { ledgerConditions } from './ledger-conditions.js';
import { AuditPage, AuditQuery, toAuditAnswer } from './audit.dto.js';

@AdminController('audit')
export class AuditController {
  constructor(private readonly em: EntityManager) {}

  @Get()
  @TakesQuery()
  @ZodResponse({ status: 200, type: AuditPage })
  async list(@Principal() principal: AdminPrincipal, @Query() query: AuditQuery) {
    const { tenantId, since, limit, cursor, ...equal } = query;
    const before = IdCursor.position(cursor);
    const em = this.em.fork();
    const rows = await em.find(
      LedgerEntryEntity,
      defined({
        ...equal,
        ...principal.tenantFilter(tenantId),
        recordedAt: withinTimes(since),
        entryId: before && { $lt: before },
        $and: await ledgerConditions(em, equal),
      }),
      { orderBy: { entryId: 'desc' }, limit: limit + 1 },
    );
    return toPage(rows, limit, { toItem: toAuditAnswer, toCursor: ({ entryId }) => encodeCursor(entryId) });
  }
}
