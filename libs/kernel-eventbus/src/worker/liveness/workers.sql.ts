import { sql, type Kysely } from 'kysely';
import type { EntityManager } from '@mikro-orm/postgresql';
import { plainArray, connectEngine, releaseConnection, sendTogether, prepared, namesOf } from '@kernel/runtime';

/** Records a heartbeat. True if the worker had no row: it is new, or a rescuer declared it dead. */
export async function beat(db: Kysely<unknown>, workerId: string): Promise<boolean> {
  const { rows } = await sql<{ isNew: boolean }>`
    insert into kernel_worker (worker_id) values (${workerId})
    on conflict (worker_id) do update set heartbeat_at = clock_timestamp()
    returning xmax = 0 as "isNew"
  `.execute(db);
  return rows[0]!.isNew;
}

/** Removes the worker's row after a clean stop, with no leases left. */
export async function signOff(db: Kysely<unknown>, workerId: string): Promise<void> {
  await sql`delete from kernel_worker where worker_id = ${workerId}`.execute(db);
}

/** Workers by heartbeat. A stopped worker has no row; a crashed one has a stale row until it is declared lost. */
export async function countLiveWorkers(
  db: Kysely<unknown>,
  silentMs: number,
): Promise<{ live: number; silent: number }> {
  const { rows } = await sql<{ live: number; silent: number }>`
    select count(*) filter (where is_live)::int as live, count(*) filter (where not is_live)::int as silent
    from kernel_worker,
      lateral (select heartbeat_at > clock_timestamp() - ${silentMs}::int * interval '1 millisecond' as is_live) as sign
  `.execute(db);
  return rows[0]!;
}

const ANSWER_WITHIN_MS = 5_000;

/** The list is worthless after a crash of the server, so its commit does not wait for the disk. */
const BEGIN = [
  'begin isolation level read committed',
  'set local synchronous_commit = off',
  `set local statement_timeout = ${ANSWER_WITHIN_MS}`,
  `set local idle_in_transaction_session_timeout = ${2 * ANSWER_WITHIN_MS}`,
].join('; ');

const announce = prepared<'workerId' | 'deliveryIds'>`
  update kernel_worker set in_flight = ${'deliveryIds'}::uuid[] where worker_id = ${'workerId'}
`;

/**
 * Writes the list of deliveries in flight, taken from `takeIds` at the last moment. The transaction is sent in one
 * piece: a server that has read it executes it even if the process dies. Calls `sent` once it is written to the socket.
 */
export async function announceInFlight(
  em: EntityManager,
  workerId: string,
  takeIds: () => readonly string[],
  sent: () => void,
): Promise<void> {
  const connection = await connectEngine(em, ANSWER_WITHIN_MS);
  let isBroken = true;
  try {
    const names = namesOf(em.getConnection().getClient());
    const statement = names.apply(announce.bind({ workerId, deliveryIds: plainArray(takeIds()) }));
    const answers = await sendTogether(connection, ANSWER_WITHIN_MS, [BEGIN, statement, 'commit'], sent);
    isBroken = answers[0]!.status === 'rejected' || answers[2]!.status === 'rejected';
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed) {
      names.giveUpAfter(failed.reason);
      throw failed.reason;
    }
  } finally {
    releaseConnection(connection, isBroken);
  }
}
