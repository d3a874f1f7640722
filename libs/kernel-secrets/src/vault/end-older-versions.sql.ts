import { sql } from 'kysely';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretAddress } from '../secret-address.js';
import { LIVE_UNTIL_MS, vaultTables } from './vault-tables.js';

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
