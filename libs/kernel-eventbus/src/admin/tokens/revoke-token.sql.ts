import { sql, type Kysely } from 'kysely';

/** False when it was revoked before. */
export async function revokeToken(trx: Kysely<unknown>, tokenId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update kernel_admin_token set revoked_at = clock_timestamp() where token_id = ${tokenId} and revoked_at is null
  `.execute(trx);
  return numAffectedRows === 1n;
}
