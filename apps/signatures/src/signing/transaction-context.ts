import { z } from 'zod';
import { keyedHash } from '../customers/keyed-hash.js';

export const TransactionContext = z.strictObject({
  reference: z.string().regex(/^[A-Za-z0-9._/-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 . _ / -'),
  amountCents: z.int().positive(),
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be a code like EUR'),
});
export type TransactionContext = z.infer<typeof TransactionContext>;

/** Identifies the signed transaction without revealing it: requests for the same transaction have the same hash. */
export function hashContext({ reference, amountCents, currency }: TransactionContext, key: Buffer): string {
  return keyedHash(key, JSON.stringify([reference, amountCents, currency]));
}
