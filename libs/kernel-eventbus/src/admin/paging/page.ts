import { z } from 'zod';
import { TextOrNull } from '../text-or-null.js';

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

export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: TextOrNull });
}

/** `rows` were asked for with one more than the limit: the one too many tells that there is a next page. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  { toItem, toCursor }: { toItem: (row: Row) => Item; toCursor: (row: Row) => string },
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(toItem), nextCursor: rows.length > limit && last ? toCursor(last) : null };
}
