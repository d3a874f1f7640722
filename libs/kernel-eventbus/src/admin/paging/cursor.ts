import { z } from 'zod';
import { Id } from '../request-fields.js';

/** Opaque to clients: where a page ended, as base64url. Parts hold no space. */
export function encodeCursor(...position: string[]): string {
  return Buffer.from(position.join(' ')).toString('base64url');
}

/** Reads back what `encodeCursor` wrote; anything else is the client's mistake. */
export function cursorOf<Position extends z.ZodType<unknown, string[]>>(position: Position) {
  return z.string().transform((text, context): z.output<Position> => {
    const decoded = Buffer.from(text, 'base64url');
    const parsed = position.safeParse(decoded.toString('utf8').split(' '));
    if (!parsed.success || decoded.toString('base64url') !== text) {
      context.addIssue({ code: 'custom', message: 'is not a cursor: take nextCursor of the page before as it is' });
      return z.NEVER;
    }
    return parsed.data;
  });
}

/** For rows whose ids are UUIDv7, so that the id alone orders them by age. */
export const IdCursor = cursorOf(z.tuple([Id]).transform(([id]) => id));
