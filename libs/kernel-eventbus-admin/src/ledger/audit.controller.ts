import { Get } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { LedgerEntryEntity } from '@kernel/ledger';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Principal, Query } from '../access/input.js';
import { TenantScope } from '../access/tenant-scope.js';
import { defined } from '../paging/defined.js';
import { findPageIds } from '../paging/find-page-ids.js';
import { PAGE_BYTES_NOTE } from '../paging/page-bytes.js';
import { withinTimes } from '../paging/within-times.js';
import { SEARCH_NOTE } from '../paging/search-limit.js';
import { encodeCursor } from '../paging/cursor.js';
import { ledgerConditions } from './ledger-conditions.js';
import { LedgerSearch } from './ledger-search.js';
import { AuditPage, AuditQuery, toAuditResponse } from './audit.dto.js';
import { entriesAfter, LedgerCursor, toItemPage } from './ledger-items.js';

/** An entry whose conclusion is an item of its own shows its attributes twice. */
const ENTRY_BYTES = `coalesce(octet_length(detail::text), 0) + (500 + coalesce(octet_length(attributes::text), 0))
  * case when conclusion in ('delivered', 'dead-lettered') then 2 else 1 end`;

@AdminController('audit')
export class AuditController {
  constructor(
    private readonly scope: TenantScope,
    private readonly search: LedgerSearch,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List entries of the ledger, newest first',
    description: `${SEARCH_NOTE}; ${PAGE_BYTES_NOTE}`,
  })
  @ZodResponse({ status: 200, type: AuditPage })
  async list(@Principal() principal: AdminPrincipal, @Query() query: AuditQuery) {
    const { limit, cursor, ...asked } = query;
    const after = LedgerCursor.position(cursor);
    const tenantId = principal.scopeTo(asked.tenantId);
    const filter = await this.search.withEvent(principal, { ...asked, tenantId });
    const searchedTo = await this.search.endOf(principal, filter, after);
    const { since, until, kind, ...equal } = filter;
    const found = await this.scope.read(principal, async (em) => {
      const where = defined({
        ...equal,
        recordedAt: withinTimes(since, until),
        entryId: after && entriesAfter(after),
        $and: [...ledgerConditions(filter), ...(searchedTo ? [{ entryId: { $gte: searchedTo } }] : [])],
      });
      const { ids, isMore } = await findPageIds(em, LedgerEntryEntity, {
        where,
        id: 'entryId',
        bytes: ENTRY_BYTES,
        limit,
      });
      // Not managed: an invalid `Date`, as of an infinite time, would count as changed at the end of the transaction.
      const rows = await em.find(
        LedgerEntryEntity,
        { entryId: { $in: ids } },
        { orderBy: { entryId: 'desc' }, disableIdentityMap: true },
      );
      return { rows, isMore };
    });
    const { items, nextCursor } = toItemPage(found, { kind, limit, after });
    return {
      items: items.map(toAuditResponse),
      nextCursor: nextCursor ?? (searchedTo ? encodeCursor(searchedTo) : null),
    };
  }
}
