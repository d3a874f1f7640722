import type { EntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import { plainArray, textArray } from '../runtime/array-literal.js';
import { faultOf } from '../runtime/fault.js';
import { DONE_AGAIN_IF_LOST } from '../runtime/hot-transaction.js';
import { newId } from '../runtime/new-id.js';
import { readThenWrite, type Write } from '../runtime/read-then-write.js';
import { hasSpareConnection } from '../runtime/spare-connection.js';
import { claimPending, type ClaimedPlain } from './claim-plain.sql.js';
import { FirstOutcomes } from './first-outcomes.js';
import { noteBatch } from './note-batch.sql.js';
import { WRITTEN, type BeginSending, type PlainFanOut, type PlainFanOutOrder } from './plain-fan-out.js';
import { planPlain, type PlainPlan } from './plain-plan.js';
import { settledStatement, type BatchLease, type WrittenDelivery } from './write-settled.sql.js';

/** How long a batch waits to be noted. */
const NOTE_MS = 200;

const logger = new Logger('SettledFanOut');

/**
 * Routes a full batch of those events that need no judgement, and writes it when it is known what became of its deliveries: once,
 * where routing and recording would write them twice. The events stay locked until then, so that nobody else can take them; what is
 * lost before it is written is routed again. Returns when the deliveries are begun.
 */
export function fanOutSettled(
  em: EntityManager,
  { room, isRepeatable, workerId, leaseMs, ...claim }: PlainFanOutOrder,
  begin: BeginSending,
): Promise<PlainFanOut> {
  const batch = { batchId: newId(), workerId, leaseMs };
  const begun = Promise.withResolvers<PlainFanOut>();
  const route = async (rows: ClaimedPlain[], write: Write): Promise<PlainFanOut & { late: ClaimedDelivery[] }> => {
    const plan = planPlain(rows, room, isRepeatable);
    const { events, repeatable, unrepeatable, queued, left } = plan;
    const fannedOut = { events, handedOff: [...repeatable, ...unrepeatable], queued, left };
    if (events.length === 0) {
      return { ...fannedOut, late: [] };
    }
    // Whoever judges what is left must not have to wait for it.
    const early = left === 0 && (await isNoted(em, batch, repeatable)) ? repeatable : [];
    const outcomes = new FirstOutcomes(early);
    if (early.length > 0) {
      begin(early, { written, outcomes });
    }
    begun.resolve({ ...fannedOut, written });
    const writtenIds = await writeSettled(plan, outcomes, write, batch);
    const late = early.length > 0 ? unrepeatable : fannedOut.handedOff;
    return { ...fannedOut, late: late.filter(({ deliveryId }) => writtenIds.has(deliveryId)) };
  };
  const written: Promise<void> = readThenWrite(em, claimPending(claim), route).then(({ late, ...fannedOut }) => {
    begun.resolve(fannedOut);
    if (late.length > 0) {
      begin(late, { written: WRITTEN });
    }
  });
  written.catch(begun.reject);
  return begun.promise;
}

/**
 * Whatever a delivery does to this process, the server knows who had it: nothing is sent before that is so. The transaction that
 * holds the events cannot say it, because it is not committed. Where the note does not come through at once (a pool, here or at the
 * server, without a second connection), the batch is written first.
 */
async function isNoted(
  em: EntityManager,
  { batchId, workerId }: BatchLease,
  deliveries: readonly ClaimedDelivery[],
): Promise<boolean> {
  if (deliveries.length === 0 || !(await hasSpareConnection(em))) {
    return false;
  }
  const events = [...new Map(deliveries.map(({ eventId, dispatchedAt }) => [eventId, dispatchedAt]))];
  const note = {
    batchId,
    workerId,
    eventIds: plainArray(events.map(([eventId]) => eventId)),
    dispatchedAt: textArray(events.map(([, dispatchedAt]) => dispatchedAt)),
  };
  const isLate = Promise.withResolvers<false>();
  const timer = setTimeout(() => isLate.resolve(false), NOTE_MS);
  const noting = noteBatch.alone(em, note, DONE_AGAIN_IF_LOST).then(
    () => true,
    (error: unknown) => {
      logger.warn({ msg: 'a batch could not be noted; it is written before it is sent', fault: faultOf(error) });
      return false;
    },
  );
  return Promise.race([noting, isLate.promise]).finally(() => clearTimeout(timer));
}

/** The ids of the deliveries that were written. */
async function writeSettled(
  { routed }: PlainPlan,
  outcomes: FirstOutcomes,
  write: Write,
  batch: BatchLease,
): Promise<ReadonlySet<string>> {
  let writtenIds = new Set<string>();
  try {
    const settlements = await outcomes.gather();
    const rows = await write<WrittenDelivery>(settledStatement(routed, settlements, batch));
    writtenIds = new Set(rows.map(({ deliveryId }) => deliveryId));
    return writtenIds;
  } finally {
    outcomes.end(writtenIds);
  }
}
