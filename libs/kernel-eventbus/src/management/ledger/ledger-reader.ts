import { Injectable } from '@nestjs/common';
import { LedgerEntryEntity, LedgerKind } from '@kernel/ledger';
import { z } from 'zod';
import { type Caller, parseCaller, tenantOf } from '../../access/caller.js';
import { parseInput } from '../../access/parse-input.js';
import { TenantScope } from '../../access/tenant-scope.js';
import { Id, Instant, TraceId } from '../../envelope/request-fields.js';
import { encodeCursor } from '../../paging/cursor.js';
import { defined } from '../../paging/defined.js';
import { findPageIds } from '../../paging/find-page-ids.js';
import { Limit, type Page } from '../../paging/page.js';
import { withinTimes } from '../../paging/within-times.js';
import { ledgerConditions } from './ledger-conditions.js';
import { entriesAfter, LedgerCursor, toItemPage } from './ledger-items.js';
import { type LedgerRecord, toLedgerRecord } from './ledger-record.js';
import { LedgerSearch } from './ledger-search.js';

export const LedgerQuery = z.strictObject({
  tenantId: Id.optional(),
  eventId: Id.optional(),
  deliveryId: Id.optional(),
  endpointId: Id.optional(),
  traceId: TraceId.optional(),
  kind: LedgerKind.optional(),
  since: Instant.optional(),
  until: Instant.optional().meta({ description: 'entries recorded before it' }),
  limit: Limit,
  cursor: LedgerCursor.schema.optional(),
});

/** An entry whose conclusion is an item of its own shows its attributes twice. */
const ENTRY_BYTES = `coalesce(octet_length(detail::text), 0) + (500 + coalesce(octet_length(attributes::text), 0))
  * case when conclusion in ('delivered', 'dead-lettered') then 2 else 1 end`;

/** Searches the ledger, newest first, with the items of `GET /audit`. */
@Injectable()
export class LedgerReader {
  constructor(
    private readonly scope: TenantScope,
    private readonly ledger: LedgerSearch,
  ) {}

  /**
   * One page. It may be short or empty where no index fits the query: go on while there is a `nextCursor`.
   * @throws {RequestRefusedError} when the query is not valid, or of another tenant
   */
  async search(caller: Caller, query: z.input<typeof LedgerQuery> = {}): Promise<Page<LedgerRecord>> {
    const by = parseCaller(caller);
    const { limit, cursor, ...asked } = parseInput(LedgerQuery, query);
    const after = LedgerCursor.position(cursor);
    const filter = await this.ledger.withEvent(by, { ...asked, tenantId: tenantOf(by, asked.tenantId) });
    const searchedTo = await this.ledger.endOf(by, filter, after);
    const { since, until, kind, ...equal } = filter;
    const found = await this.scope.read(by, async (em) => {
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
        { filters: false, orderBy: { entryId: 'desc' }, disableIdentityMap: true },
      );
      return { rows, isMore };
    });
    const { items, nextCursor } = toItemPage(found, { kind, limit, after });
    return {
      items: items.map(toLedgerRecord),
      nextCursor: nextCursor ?? (searchedTo ? encodeCursor(searchedTo) : null),
    };
  }
}
