import { z } from 'zod';

/**
 * The name of a secret, the only part of it that an endpoint row may hold. One path segment by construction: it starts
 * with a letter or digit and has no slash, so it can name a file.
 */
export const SecretAlias = z
  .string()
  .refine((text) => !/^whs(ec|k)_/i.test(text), { error: 'an alias names a secret, it is not one', abort: true })
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{2,139}$/,
    'an alias has 3 to 140 characters of A-Z, a-z, 0-9, ".", "_", "-" and starts with a letter or digit',
  );

export type SecretAlias = z.infer<typeof SecretAlias>;

/** For messages: a text that is not an alias may be a secret in the wrong field, so it is not repeated. */
export function printableAlias(alias: string): string {
  return SecretAlias.safeParse(alias).success ? `"${alias}"` : '(not a valid alias)';
}
