import { z } from 'zod';

export const Limit = z.coerce
  .number({ error: 'give one whole number from 1 to 200' })
  .int()
  .min(1)
  .max(200)
  .default(50);

export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** `rows` has one row more than the limit if there is a next page. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  { toItem, toCursor }: { toItem: (row: Row) => Item; toCursor: (row: Row) => string },
): Page<Item> {
  return toCutPage({ rows: rows.slice(0, limit), isMore: rows.length > limit }, { toItem, toCursor });
}

/** For rows already cut to a page. */
export function toCutPage<Row, Item>(
  { rows, isMore }: { rows: readonly Row[]; isMore: boolean },
  { toItem, toCursor }: { toItem: (row: Row) => Item; toCursor: (row: Row) => string },
): Page<Item> {
  const last = rows.at(-1);
  return { items: rows.map(toItem), nextCursor: isMore && last ? toCursor(last) : null };
}
