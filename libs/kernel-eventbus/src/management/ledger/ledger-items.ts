import { z } from 'zod';
import type { LedgerKind, LedgerRow } from '@kernel/ledger';
import { cursorOf, encodeCursor } from '../../paging/cursor.js';
import type { Page } from '../../paging/page.js';
import { Id } from '../../envelope/request-fields.js';

/** An item of the list. An attempt's entry that ended its delivery is two items: the conclusion, then the attempt. */
export interface LedgerItem {
  entry: LedgerRow;
  kind: LedgerKind;
  isConclusion: boolean;
}

const CONCLUSION = 'conclusion';

/** The end of a page: the last entry, and whether only its conclusion was shown. */
export const LedgerCursor = cursorOf(
  z
    .union([z.tuple([Id]), z.tuple([Id, z.literal(CONCLUSION)])])
    .transform(([entryId, part]) => ({ entryId, isConclusion: part === CONCLUSION })),
);
export type LedgerPosition = NonNullable<ReturnType<typeof LedgerCursor.position>>;

/** The condition on `entryId` for a page after this position. */
export function entriesAfter({ entryId, isConclusion }: LedgerPosition): { $lte: string } | { $lt: string } {
  return isConclusion ? { $lte: entryId } : { $lt: entryId };
}

export interface FoundEntries {
  /** `limit` entries at most, newest first. */
  rows: readonly LedgerRow[];
  isMore: boolean;
}

/** The page of items in these entries, which may end between the two items of an entry. */
export function toItemPage(
  { rows, isMore }: FoundEntries,
  { kind, limit, after }: { kind?: LedgerKind; limit: number; after?: LedgerPosition },
): Page<LedgerItem> {
  const isShown = (item: LedgerItem) =>
    (!kind || item.kind === kind) &&
    !(item.isConclusion && after?.isConclusion && item.entry.entryId === after.entryId);
  const items = rows.flatMap(itemsOf).filter(isShown);
  const lastRow = isMore ? rows.at(-1) : undefined;
  const nextCursor = cursorAfter(items, limit) ?? (lastRow ? encodeCursor(lastRow.entryId) : null);
  return { items: items.slice(0, limit), nextCursor };
}

function itemsOf(entry: LedgerRow): LedgerItem[] {
  const { kind, conclusion } = entry;
  const own = { entry, kind, isConclusion: false };
  return conclusion && conclusion !== 'retry' ? [{ entry, kind: conclusion, isConclusion: true }, own] : [own];
}

/** Null: all items fit. */
function cursorAfter(items: readonly LedgerItem[], limit: number): string | null {
  const [last, next] = [items[limit - 1], items[limit]];
  if (!last || !next) {
    return null;
  }
  const { entryId } = last.entry;
  return next.entry === last.entry ? encodeCursor(entryId, CONCLUSION) : encodeCursor(entryId);
}
