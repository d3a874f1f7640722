import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { listPartitions } from '../upkeep/list-partitions.sql.js';
import { cappedCount } from './capped-count.js';
import { listOpenCircuits, type OpenCircuit } from './list-open-circuits.sql.js';
import { measureDeadLetters } from './measure-dead-letters.sql.js';
import { measureDefaultPartition } from './measure-default-partition.sql.js';
import { measureDueDeliveries, type WaitingForEndpoint } from './measure-due-deliveries.sql.js';
import { measurePendingEvents, type Waiting } from './measure-pending-events.sql.js';
import { measureReadyLanes } from './measure-ready-lanes.sql.js';
import { measureStoppages, type Stoppages } from './measure-stoppages.sql.js';
import { partitionsAhead } from './partitions-ahead.js';
import { readTableHealth, type TableHealth } from './read-table-health.sql.js';
import { readXminHorizon } from './read-xmin-horizon.sql.js';

export interface Backlog {
  stage: 'routing' | 'delivery' | 'lane';
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
 * Each query looks through an index that holds only what waits, and stops at a cap. Statistics may have lagged behind when a
 * backlog came, and reading a whole table would seem cheap to the planner: it is not let.
 */
const SETTINGS = sql`
  select set_config('statement_timeout', '5000', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true), set_config('jit', 'off', true)
`;

export function measureStore(
  db: Kysely<unknown>,
  { silentMs, mostCircuits }: { silentMs: number; mostCircuits: number },
): Promise<StoreFacts> {
  return db.transaction().execute(async (trx) => {
    await SETTINGS.execute(trx);
    const pending = await measurePendingEvents(trx);
    const deliveries = await measureDueDeliveries(trx);
    const lanes = await measureReadyLanes(trx);
    const deadLetters = await measureDeadLetters(trx);
    const { nowMs, partitions } = await listPartitions(trx);
    return {
      ...(await measureStoppages(trx, silentMs)),
      pendingEvents: cappedCount(pending),
      backlogs: [
        toBacklog('routing', { ...pending, isCircuitOpen: false }),
        ...deliveries.map((waiting) => toBacklog('delivery', waiting)),
        ...lanes.map((waiting) => toBacklog('lane', waiting)),
      ],
      deadLetters: cappedCount(deadLetters),
      oldestDeadLetterSeconds: deadLetters.oldestSeconds,
      partitionsAhead: partitionsAhead(nowMs, partitions),
      defaultPartitionEvents: cappedCount(await measureDefaultPartition(trx)),
      tables: await readTableHealth(trx),
      xminHorizonAge: await readXminHorizon(trx),
      circuits: mostCircuits > 0 ? await listOpenCircuits(trx, mostCircuits) : [],
    };
  });
}

function toBacklog(stage: Backlog['stage'], waiting: Waiting & Pick<WaitingForEndpoint, 'isCircuitOpen'>): Backlog {
  const { oldestSeconds, averageSeconds, isCircuitOpen } = waiting;
  return {
    stage,
    circuit: isCircuitOpen ? 'open' : 'closed',
    count: cappedCount(waiting),
    oldestSeconds,
    averageSeconds,
  };
}
