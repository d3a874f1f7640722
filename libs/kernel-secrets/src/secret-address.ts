import { z } from 'zod';
import { SecretAlias } from './secret-alias.js';
import { InvalidSecretAddressError } from './secrets.errors.js';

/** Where a secret lives. The tenant is lower-cased: PostgreSQL does so too, and both the cipher and the cache depend on it. */
export interface SecretAddress {
  tenantId: string;
  alias: string;
}

const TenantId = z.guid('a tenant is a UUID').toLowerCase();

/** For writers: refuses what cannot be an address, without repeating it. */
export function parseSecretAddress(tenantId: string, alias: string): SecretAddress {
  const tenant = TenantId.safeParse(tenantId);
  if (!tenant.success) {
    throw new InvalidSecretAddressError('tenantId', tenant.error.issues[0]!.message);
  }
  const name = SecretAlias.safeParse(alias);
  if (!name.success) {
    throw new InvalidSecretAddressError('alias', name.error.issues[0]!.message);
  }
  return { tenantId: tenant.data, alias: name.data };
}

/** The same few are asked for at every signature. */
const found = new Map<string, Readonly<SecretAddress>>();
const MOST_FOUND = 10_000;

/** For readers: nothing can live at an impossible address, which is an answer and not a failure. */
export function findSecretAddress(tenantId: string, alias: string): Readonly<SecretAddress> | undefined {
  const key = `${tenantId}/${alias}`;
  const known = found.get(key);
  if (known) {
    return known;
  }
  const tenant = TenantId.safeParse(tenantId);
  const name = SecretAlias.safeParse(alias);
  if (!tenant.success || !name.success) {
    return undefined;
  }
  const address = { tenantId: tenant.data, alias: name.data };
  if (found.size >= MOST_FOUND) {
    found.clear();
  }
  found.set(key, address);
  return address;
}
