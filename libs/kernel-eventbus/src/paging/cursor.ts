import { z } from 'zod';
import { Id } from '../envelope/request-fields.js';

/** Opaque to clients: the end of a page, as base64url. Parts must not contain spaces. */
export function encodeCursor(...position: string[]): string {
  return Buffer.from(position.join(' ')).toString('base64url');
}

/**
 * Reads the output of `encodeCursor`; anything else is a client error. The schema leaves the text unchanged, because a
 * host with its own validation pipe validates every query twice.
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

/** For rows with UUIDv7 ids, which are ordered by age. */
export const IdCursor = cursorOf(z.tuple([Id]).transform(([id]) => id));
