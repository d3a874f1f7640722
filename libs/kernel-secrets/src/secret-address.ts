import { z } from 'zod';
import { SecretAlias } from './secret-alias.js';
import { InvalidSecretAddressError } from './secrets.errors.js';

/** The address of a secret. The tenant is lower case, as in PostgreSQL; both the cipher and the cache depend on it. */
export interface SecretAddress {
  tenantId: string;
  alias: string;
}

const TenantId = z.guid('a tenant is a UUID').toLowerCase();

/** For writers: refuses an invalid address without repeating it. */
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

/** Every signature looks up one of the same few addresses. */
const found = new Map<string, Readonly<SecretAddress>>();
const MAX_FOUND = 10_000;

/** For readers: an invalid address holds no secret, which is a result and not a failure. */
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
  if (found.size >= MAX_FOUND) {
    found.clear();
  }
  found.set(key, address);
  return address;
}
