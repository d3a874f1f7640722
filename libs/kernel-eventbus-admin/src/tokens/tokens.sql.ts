import { sql, type Kysely } from 'kysely';
import type { AdminRole } from '@kernel/eventbus/engine';

export interface StoredToken {
  tokenId: string;
  name: string;
  role: AdminRole;
  tenantId: string | null;
  tokenHash: string;
  createdBy: string;
  /** Null: the token does not expire. */
  expiresAt: Date | null;
  seal: Buffer;
}

/** By the database's clock, in whole milliseconds: a `Date` keeps no more. */
export async function findExpiry(trx: Kysely<unknown>, expiresInSeconds: number): Promise<Date> {
  const { rows } = await sql<{ timeMs: number }>`
    select floor(extract(epoch from clock_timestamp()) * 1000 + ${expiresInSeconds}::int * 1000)::float8 as "timeMs"
  `.execute(trx);
  return new Date(rows[0]!.timeMs);
}

export async function insertToken(trx: Kysely<unknown>, token: StoredToken): Promise<void> {
  await sql`
    insert into kernel_admin_token (token_id, name, role, tenant_id, token_hash, created_by, expires_at, seal)
    values (${token.tokenId}, ${token.name}, ${token.role}, ${token.tenantId}, ${token.tokenHash}, ${token.createdBy},
      ${token.expiresAt?.toISOString() ?? null}::timestamptz, ${token.seal})
  `.execute(trx);
}

/** False if the token was already revoked. */
export async function revokeToken(trx: Kysely<unknown>, tokenId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update kernel_admin_token set revoked_at = clock_timestamp() where token_id = ${tokenId} and revoked_at is null
  `.execute(trx);
  return numAffectedRows === 1n;
}
