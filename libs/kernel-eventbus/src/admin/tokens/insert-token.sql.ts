import { sql, type Kysely } from 'kysely';
import type { AdminRole } from './admin-token.entity.js';

export interface StoredToken {
  tokenId: string;
  name: string;
  role: AdminRole;
  tenantId: string | null;
  tokenHash: string;
  createdBy: string;
}

export async function insertToken(trx: Kysely<unknown>, token: StoredToken): Promise<void> {
  await sql`
    insert into kernel_admin_token (token_id, name, role, tenant_id, token_hash, created_by)
    values (${token.tokenId}, ${token.name}, ${token.role}, ${token.tenantId}, ${token.tokenHash}, ${token.createdBy})
  `.execute(trx);
}
