import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export type AdminRole = 'operator' | 'tenant-admin';

/**
 * A bearer token of `@kernel/eventbus-admin`, stored as the SHA-256 of its text. The entity is here because one set of
 * migrations makes all tables, and `eventBusEntities` lists them all.
 */
export const AdminTokenEntity = defineEntity({
  name: 'AdminToken',
  tableName: 'kernel_admin_token',
  uniques: [{ name: 'kernel_admin_token_hash_key', properties: ['tokenHash'] }],
  checks: [
    { name: 'kernel_admin_token_role_check', expression: "role in ('operator', 'tenant-admin')" },
    { name: 'kernel_admin_token_scope_check', expression: "(role = 'tenant-admin') = (tenant_id is not null)" },
    { name: 'kernel_admin_token_expires_check', expression: 'isfinite(expires_at)' },
  ],
  properties: {
    tokenId: p.uuid().primary(),
    name: p.text(),
    role: p.text().$type<AdminRole>(),
    tenantId: p.uuid().nullable(),
    tokenHash: p.text(),
    createdAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    createdBy: p.text(),
    revokedAt: p.datetime().columnType('timestamptz').nullable(),
    /** Null: valid until revoked. */
    expiresAt: p.datetime().columnType('timestamptz').nullable(),
    /** Authenticates the row; null in rows of earlier versions, which are refused. */
    seal: p.blob().nullable(),
  },
});
export type AdminTokenRow = InferEntity<typeof AdminTokenEntity>;
