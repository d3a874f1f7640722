import { z } from 'zod';
import { Id } from '../request-fields.js';

/** Opaque to clients: where a page ended, as base64url. Parts hold no space. */
export function encodeCursor(...position: string[]): string {
  return Buffer.from(position.join(' ')).toString('base64url');
}

/**
 * Reads back what `encodeCursor` wrote; anything else is the client's mistake. The schema leaves the text as it is, because
 * a host with a validation pipe of its own has every query checked twice.
 */
export function cursorOf<Position extends z.ZodType<unknown, string[]>>(position: Position) {
  const read = (text: string): z.output<Position> | undefined => {
    const decoded = Buffer.from(text, 'base64url');
    const parsed = position.safeParse(decoded.toString('utf8').split(' '));
    return parsed.success && decoded.toString('base64url') === text ? parsed.data : undefined;
  };
  return {
    schema: z.string().refine((text) => read(text) !== undefined, {
      error: 'is not a cursor: take nextCursor of the page before as it is',
    }),
    position: (cursor: string | undefined) => (cursor === undefined ? undefined : read(cursor)),
  };
}

/** For rows whose ids are UUIDv7, so that the id alone orders them by age. */
export const IdCursor = cursorOf(z.tuple([Id]).transform(([id]) => id));
