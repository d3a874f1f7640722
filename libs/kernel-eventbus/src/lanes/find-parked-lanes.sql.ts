import { sql, type Kysely } from 'kysely';

/** Which of these lanes are parked. */
export async function findParkedLanes(
  db: Kysely<unknown>,
  laneIds: readonly (string | null | undefined)[],
): Promise<ReadonlySet<string>> {
  const ids = laneIds.filter((laneId) => typeof laneId === 'string');
  if (ids.length === 0) {
    return new Set();
  }
  const { rows } = await sql<{ laneId: string }>`
    select lane_id as "laneId" from kernel_lane where lane_id = any(${ids}::uuid[]) and is_parked
  `.execute(db);
  return new Set(rows.map(({ laneId }) => laneId));
}
