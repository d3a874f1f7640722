import { type Kysely, sql } from 'kysely';
import { findOldestDue, type OldestDue, type Stage } from '../backlog/find-oldest-due.sql.js';
import { listPartitions } from '@kernel/eventbus/engine';
import { cappedCount } from './capped-count.js';
import {
  listOpenCircuits,
  type OpenCircuit,
  measureDeadLetters,
  measureStoppages,
  type Stoppages,
} from './stoppages.sql.js';
import { measureDefaultPartition, readTableHealth, type TableHealth, readXminHorizon } from './tables.sql.js';
import {
  measureDueDeliveries,
  measureDueInLanes,
  measurePendingEvents,
  type Waiting,
  measureSuspects,
} from './waiting.sql.js';
import { partitionsAhead } from './partitions-ahead.js';

export interface Backlog {
  stage: Stage;
  circuit: 'closed' | 'open';
  count: number;
  oldestSeconds: number;
  averageSeconds: number;
}

export interface StoreFacts extends Stoppages {
  pendingEvents: number;
  backlogs: Backlog[];
  deadLetters: number;
  oldestDeadLetterSeconds: number;
  partitionsAhead: number;
  defaultPartitionEvents: number;
  tables: TableHealth[];
  xminHorizonAge: number;
  circuits: OpenCircuit[];
}

/**
 * Each query reads a partial index over waiting rows and stops at a cap. With statistics from before a backlog, the
 * planner would choose a sequential scan, so other plans are disabled.
 */
const SETTINGS = sql`
  select set_config('statement_timeout', '5000', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true), set_config('jit', 'off', true),
    set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)
`;

export function measureStore(
  db: Kysely<unknown>,
  { silentMs, maxCircuits }: { silentMs: number; maxCircuits: number },
): Promise<StoreFacts> {
  return db.transaction().execute(async (trx) => {
    await SETTINGS.execute(trx);
    const pending = await measurePendingEvents(trx);
    const waiting = [
      { stage: 'routing' as const, isCircuitOpen: false, ...pending },
      ...(await measureDueDeliveries(trx)).map((due) => ({ stage: 'delivery' as const, ...due })),
      ...(await measureDueInLanes(trx)).map((due) => ({ stage: 'lane' as const, ...due })),
      { stage: 'suspect' as const, isCircuitOpen: false, ...(await measureSuspects(trx)) },
    ];
    const oldest = await findOldestDue(trx);
    const deadLetters = await measureDeadLetters(trx);
    const { nowMs, partitions } = await listPartitions(trx);
    return {
      ...(await measureStoppages(trx, silentMs)),
      pendingEvents: cappedCount(pending),
      backlogs: waiting.map((one) => toBacklog(one, oldest)),
      deadLetters: cappedCount(deadLetters),
      oldestDeadLetterSeconds: deadLetters.oldestSeconds,
      partitionsAhead: partitionsAhead(nowMs, partitions),
      defaultPartitionEvents: cappedCount(await measureDefaultPartition(trx)),
      tables: await readTableHealth(trx),
      xminHorizonAge: await readXminHorizon(trx),
      circuits: maxCircuits > 0 ? await listOpenCircuits(trx, maxCircuits) : [],
    };
  });
}

function toBacklog(
  { stage, isCircuitOpen, ...waiting }: Waiting & Omit<OldestDue, 'seconds'>,
  oldest: readonly OldestDue[],
): Backlog {
  const first = oldest.find((one) => one.stage === stage && one.isCircuitOpen === isCircuitOpen);
  return {
    stage,
    circuit: isCircuitOpen ? 'open' : 'closed',
    count: cappedCount(waiting),
    oldestSeconds: first?.seconds ?? 0,
    averageSeconds: waiting.averageSeconds,
  };
}
