import { z } from 'zod';
import type { Part } from './dispatch/resolve-parts.js';

export const positive = z.number().int().positive();

export const aFunction = <T>() => z.custom<T>((value) => typeof value === 'function', 'must be a function');

export const parts = <T extends object>() =>
  z
    .array(
      z.custom<Part<T>>(
        (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
        'must be an object or a class',
      ),
    )
    .default([]);

/** Spelled as `URL.origin` spells it, without a default port. */
export const origin = z
  .string()
  .refine(
    (text) => /^https?:\/\/[^\s/?#@\\]+$/.test(text) && URL.canParse(text),
    'must be an origin like http://127.0.0.1:3001, without a path',
  )
  .transform((text) => new URL(text).origin);

/** A component supplied by the host, checked by its methods. */
export function withMethods<Part extends object>(...names: (keyof Part & string)[]) {
  return z.custom<Part>(
    (part) => names.every((name) => typeof (part as Partial<Part> | null)?.[name] === 'function'),
    `must be an object with the methods ${names.join(' and ')}`,
  );
}
