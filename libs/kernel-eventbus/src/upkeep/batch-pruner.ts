import { setTimeout as delay } from 'node:timers/promises';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { appendEntries, ledgerEntry, type LedgerKind } from '@kernel/ledger';
import { UPKEEP_STATEMENT_MS, engineDatabase } from '@kernel/runtime';
import { currentTraceId } from '../trace/trace-context.js';
import { takeTurn } from './partitions.sql.js';

export type PrunedKind = Extract<LedgerKind, `${string}-pruned`>;

/** Counts of one batch and the start of the next: null if nothing is left. */
export interface PrunedBatch<Counts, Place> {
  counts: Counts;
  next: Place | null;
}

export interface Pruning<Counts extends Record<string, number>, Place> {
  kind: PrunedKind;
  /** Added to the counts in the ledger entry. */
  detail?: Record<string, string>;
  start: Place;
  batch: (trx: Kysely<unknown>, place: Place) => Promise<PrunedBatch<Counts, Place>>;
}

export interface PruneBounds {
  actor: string;
  maxBatches: number;
  signal?: AbortSignal;
}

export interface Pruned<Counts> {
  counts: Counts;
  batches: number;
  /** False if there may be more: a limit was reached or another process holds the upkeep lock. */
  isComplete: boolean;
}

const PAUSE_MS = 100;

/**
 * Deletes in small batches, each in its own transaction with its ledger entry. Pauses between batches limit lock times
 * and WAL volume. A walk that stops early resumes at the same position in the next round, so that rows kept at the
 * beginning do not block the rest.
 */
@Injectable()
export class BatchPruner {
  readonly #places = new Map<string, unknown>();

  constructor(private readonly em: EntityManager) {}

  async prune<Counts extends Record<string, number>, Place>(
    pruning: Pruning<Counts, Place>,
    nothing: Counts,
    { actor, maxBatches, signal }: PruneBounds,
  ): Promise<Pruned<Counts>> {
    const walk = JSON.stringify([pruning.kind, pruning.detail]);
    let place: Place | null = (this.#places.get(walk) as Place | undefined) ?? pruning.start;
    let counts = nothing;
    let batches = 0;
    while (place !== null && batches < maxBatches && !signal?.aborted) {
      const batch: PrunedBatch<Counts, Place> | 'busy' = await this.pruneBatch(pruning, place, actor);
      if (batch === 'busy') {
        break;
      }
      batches++;
      counts = sum(counts, batch.counts);
      place = batch.next;
      if (place !== null && batches < maxBatches) {
        await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
      }
    }
    if (place === null) {
      this.#places.delete(walk);
    } else {
      this.#places.set(walk, place);
    }
    return { counts, batches, isComplete: place === null };
  }

  private pruneBatch<Counts extends Record<string, number>, Place>(
    { kind, detail, batch }: Pruning<Counts, Place>,
    place: Place,
    actor: string,
  ): Promise<PrunedBatch<Counts, Place> | 'busy'> {
    return engineDatabase(this.em, UPKEEP_STATEMENT_MS)
      .transaction()
      .execute(async (trx) => {
        if (!(await takeTurn(trx))) {
          return 'busy';
        }
        const pruned = await batch(trx, place);
        if (Object.values(pruned.counts).some((count) => count > 0)) {
          const facts = { kind, actor, traceId: currentTraceId()!, detail: { ...detail, ...pruned.counts } };
          await appendEntries(trx, [ledgerEntry(facts)]);
        }
        return pruned;
      });
  }
}

function sum<Counts extends Record<string, number>>(one: Counts, other: Counts): Counts {
  return Object.fromEntries(Object.entries(one).map(([name, count]) => [name, count + other[name]!])) as Counts;
}
