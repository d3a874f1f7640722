import { z } from 'zod';
import { TextOrNull } from './text-or-null.js';

export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: TextOrNull });
}
