import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretAddress } from '../secret-address.js';
import type { SecretKind } from '../secret-kind.js';
import { LIVE_UNTIL_MS, vaultTables } from './vault-tables.js';
import { sql } from 'kysely';
import type { SecretPlace } from './secret-cipher.js';

export interface StoredVersion {
  version: number;
  kind: SecretKind;
  ciphertext: Buffer;
  liveUntilMs: number | null;
}

/** Versions neither revoked nor past their overlap, newest first. */
export async function selectLiveVersions(
  em: Pick<EntityManager, 'getKysely'>,
  { tenantId, alias }: SecretAddress,
  now: Date,
): Promise<StoredVersion[]> {
  return vaultTables(em)
    .selectFrom('kernel_secret_version')
    .select(['version', 'kind', 'ciphertext', LIVE_UNTIL_MS])
    .where('tenant_id', '=', tenantId)
    .where('alias', '=', alias)
    .where('state', '=', 'active')
    .where((live) => live.or([live('live_until', 'is', null), live('live_until', '>', now)]))
    .orderBy('version', 'desc')
    .execute();
}

/** Counts revoked versions too; 0 for an alias without any. */
export async function selectLatestVersion(em: EntityManager, { tenantId, alias }: SecretAddress): Promise<number> {
  const row = await vaultTables(em)
    .selectFrom('kernel_secret_version')
    .select('version')
    .where('tenant_id', '=', tenantId)
    .where('alias', '=', alias)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.version ?? 0;
}

/** The tenants that have this version under this alias, not revoked; two at most. */
export async function findTenantsOfVersion(em: EntityManager, alias: string, version: number): Promise<string[]> {
  const rows = await vaultTables(em)
    .selectFrom('kernel_secret_version')
    .select('tenant_id')
    .where('alias', '=', alias)
    .where('version', '=', version)
    .where('state', '=', 'active')
    .limit(2)
    .execute();
  return rows.map((row) => row.tenant_id);
}

export async function hasRevokedVersion(
  em: EntityManager,
  { tenantId, alias, version }: { tenantId: string | undefined; alias: string; version: number },
): Promise<boolean> {
  const row = await vaultTables(em)
    .selectFrom('kernel_secret_version')
    .select('version')
    .where('alias', '=', alias)
    .where('version', '=', version)
    .where('state', '=', 'revoked')
    .$if(tenantId !== undefined, (query) => query.where('tenant_id', '=', tenantId!))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export interface NewSecretVersion extends SecretAddress {
  version: number;
  kind: SecretKind;
  ciphertext: Buffer;
  /** Fingerprint of the master key that encrypted it. */
  keyFingerprint: string;
}

/** False if the version exists already; waits for a concurrent insert of it. */
export async function insertSecretVersion(em: EntityManager, row: NewSecretVersion): Promise<boolean> {
  const inserted = await vaultTables(em)
    .insertInto('kernel_secret_version')
    .values({
      tenant_id: row.tenantId,
      alias: row.alias,
      version: row.version,
      kind: row.kind,
      ciphertext: row.ciphertext,
      key_fingerprint: row.keyFingerprint,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('version')
    .execute();
  return inserted.length > 0;
}

export interface OverlappingVersion {
  version: number;
  liveUntil: Date;
}

/** A version with an earlier end keeps it. Returns the versions that are still live, newest first. */
export async function endOlderVersions(
  em: EntityManager,
  { tenantId, alias }: SecretAddress,
  { before, until, now }: { before: number; until: Date; now: Date },
): Promise<OverlappingVersion[]> {
  const ended = await vaultTables(em)
    .updateTable('kernel_secret_version')
    .set({ live_until: sql<Date>`least(live_until, ${until})` })
    .where('tenant_id', '=', tenantId)
    .where('alias', '=', alias)
    .where('version', '<', before)
    .where('state', '=', 'active')
    .where((live) => live.or([live('live_until', 'is', null), live('live_until', '>', now)]))
    .returning(['version', LIVE_UNTIL_MS])
    .execute();
  return ended
    .map(({ version, liveUntilMs }) => ({ version, liveUntil: new Date(liveUntilMs!) }))
    .toSorted(newestFirst);
}

function newestFirst(one: OverlappingVersion, other: OverlappingVersion): number {
  return other.version - one.version;
}

/** Deletes the ciphertext too: a revoked secret is unreadable. False if there is no such live version. */
export async function revokeSecretVersion(
  em: EntityManager,
  { tenantId, alias }: SecretAddress,
  version: number,
): Promise<boolean> {
  const revoked = await vaultTables(em)
    .updateTable('kernel_secret_version')
    .set({ state: 'revoked', ciphertext: Buffer.alloc(0) })
    .where('tenant_id', '=', tenantId)
    .where('alias', '=', alias)
    .where('version', '=', version)
    .where('state', '=', 'active')
    .returning('version')
    .execute();
  return revoked.length > 0;
}

export interface StaleVersion extends SecretPlace {
  ciphertext: Buffer;
}

/** A batch of versions encrypted under another key. Revoked versions hold no ciphertext. */
export async function findStaleVersions(
  em: EntityManager,
  fingerprint: string,
  limit: number,
): Promise<StaleVersion[]> {
  return staleVersions(em, fingerprint)
    .select(['tenant_id as tenantId', 'alias', 'version', 'ciphertext'])
    .orderBy('tenant_id')
    .orderBy('alias')
    .orderBy('version')
    .limit(limit)
    .execute();
}

export async function countStaleVersions(em: EntityManager, fingerprint: string): Promise<number> {
  const { count } = await staleVersions(em, fingerprint)
    .select((row) => row.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function staleVersions(em: EntityManager, fingerprint: string) {
  return vaultTables(em)
    .selectFrom('kernel_secret_version')
    .where('state', '=', 'active')
    .where('key_fingerprint', 'is distinct from', fingerprint);
}

/** Does nothing if the row has changed since it was read: revoked, or re-encrypted by another run. */
export async function replaceCiphertext(
  em: EntityManager,
  stale: StaleVersion,
  { ciphertext, keyFingerprint }: { ciphertext: Buffer; keyFingerprint: string },
): Promise<void> {
  await vaultTables(em)
    .updateTable('kernel_secret_version')
    .set({ ciphertext, key_fingerprint: keyFingerprint })
    .where('tenant_id', '=', stale.tenantId)
    .where('alias', '=', stale.alias)
    .where('version', '=', stale.version)
    .where('state', '=', 'active')
    .where('ciphertext', '=', stale.ciphertext)
    .execute();
}

/** Channel on which processes that share the database learn of changed secrets. */
export const SECRET_CHANGES_CHANNEL = 'kernel_secret';

/** Sent when the transaction commits. */
export async function notifyChange(em: EntityManager, secret: string): Promise<void> {
  await sql`select pg_notify(${SECRET_CHANGES_CHANNEL}, ${secret})`.execute(vaultTables(em));
}
