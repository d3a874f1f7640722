import type { EventSubscriber } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Kysely } from 'kysely';
import {
  DuplicateEventIdError,
  EventsNotWrittenError,
  TransactionAlreadyWrittenError,
  UntrackedTransactionError,
} from '../eventbus.errors.js';
import { EventBusConfig } from '../eventbus.options.js';
import { StageHooks } from '../runtime/stage-hooks.js';
import { WakeUp } from '../runtime/wake-up.js';
import { PipelineObservers } from '../telemetry/pipeline-observers.js';
import { insertEvents } from './insert-events.sql.js';
import { insertOnce } from './insert-once.js';
import type { PreparedEvent } from './prepare-event.js';
import { teachRetry } from './retryable-transaction.js';
import { takenEventId } from './taken-event-id.js';

/** What MikroORM tells of a transaction; it has no type of its own for either. */
interface TransactionArgs {
  em: object;
  transaction?: object;
}

interface Collected {
  events: PreparedEvent[];
  /** Set for a savepoint: where its events go when it is released. */
  parent: Collected | undefined;
  /** Its events are written, or being written: no more can be added. */
  isClosed: boolean;
  isWritten: boolean;
  writeMs: number;
}

/**
 * Collects the events of each transaction and writes them with one statement right before its commit, which is sent only when the
 * server has taken them. A savepoint's events join the transaction around it when it is released and are dropped when it rolls back.
 */
@Injectable()
export class TransactionOutbox implements EventSubscriber, OnModuleInit {
  readonly #logger = new Logger(TransactionOutbox.name);
  readonly #collected = new WeakMap<object, Collected>();
  readonly #enclosing = new WeakMap<object, object>();
  readonly #abandoned = new FinalizationRegistry<PreparedEvent[]>((events) => {
    if (events.length > 0) {
      this.#logger.error(
        `a transaction vanished without commit or rollback; ${events.length} event(s) were not written`,
      );
    }
  });

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly wakeUp: WakeUp,
    private readonly hooks: StageHooks,
    private readonly observers: PipelineObservers,
  ) {}

  onModuleInit(): void {
    this.em.getEventManager().registerSubscriber(this);
  }

  /** Those with one of the ids that were published in the transaction or in one around it, and are not written yet. */
  findWaiting(transaction: object, eventIds: ReadonlySet<string>): PreparedEvent[] {
    const waiting: PreparedEvent[] = [];
    for (let level = this.#collected.get(transaction); level; level = level.parent) {
      waiting.push(...level.events.filter(({ eventId }) => eventIds.has(eventId)));
    }
    return waiting;
  }

  add(transaction: object, events: readonly PreparedEvent[]): void {
    const collected = this.#collected.get(transaction);
    if (!collected) {
      throw new UntrackedTransactionError();
    }
    if (collected.isClosed) {
      throw new TransactionAlreadyWrittenError();
    }
    refuseRepeatedIds(collected, events);
    if (collected.events.length === 0) {
      this.#abandoned.register(transaction, collected.events, collected);
    }
    collected.events.push(...events);
  }

  /** For a savepoint MikroORM names the enclosing transaction here, and the savepoint itself in `afterTransactionStart`. */
  beforeTransactionStart({ em, transaction }: TransactionArgs): void {
    if (transaction) {
      this.#enclosing.set(em, transaction);
    } else {
      this.#enclosing.delete(em);
    }
  }

  afterTransactionStart({ em, transaction }: TransactionArgs): void {
    const enclosing = this.#enclosing.get(em);
    const parent = enclosing && this.#collected.get(enclosing);
    this.#collected.set(transaction!, { events: [], parent, isClosed: false, isWritten: false, writeMs: 0 });
  }

  async beforeTransactionCommit({ transaction }: TransactionArgs): Promise<void> {
    const collected = this.#collected.get(transaction!);
    // A commit that failed before it was sent, because of another subscriber, may be tried again: its events are written already.
    if (!collected || collected.parent || collected.isClosed) {
      return;
    }
    collected.isClosed = true;
    if (collected.events.length > 0) {
      await this.write(transaction as Kysely<unknown>, collected).catch((error: unknown) => {
        // A commit that is tried again writes them again, or fails again.
        collected.isClosed = false;
        return teachRetry(error);
      });
    }
  }

  afterTransactionCommit({ transaction }: TransactionArgs): void {
    const collected = this.#collected.get(transaction!);
    if (!collected) {
      return;
    }
    const events = this.take(collected);
    if (collected.parent) {
      collected.parent.events.push(...events);
    } else if (events.length > 0) {
      if (!collected.isWritten) {
        throw new EventsNotWrittenError();
      }
      this.hooks.reached('committed');
      this.wakeUp.published();
      this.observers.committed(events, collected.writeMs);
    }
  }

  beforeTransactionRollback({ transaction }: TransactionArgs): void {
    const collected = this.#collected.get(transaction!);
    if (collected) {
      this.take(collected);
    }
  }

  /**
   * V8 keeps what a registry watches until its next full collection, with all that hangs on it, which for a transaction is a lot: so
   * it is watched no longer than there is something to lose.
   */
  private take(collected: Collected): PreparedEvent[] {
    if (collected.events.length > 0) {
      this.#abandoned.unregister(collected);
    }
    return collected.events.splice(0);
  }

  private async write(db: Kysely<unknown>, collected: Collected): Promise<void> {
    const startedAt = performance.now();
    const written = await this.insert(db, collected.events);
    collected.events.splice(0, collected.events.length, ...written);
    collected.isWritten = true;
    collected.writeMs = performance.now() - startedAt;
    this.hooks.reached('events-written');
  }

  /** Returns the events that were written: all but repeats. */
  private async insert(db: Kysely<unknown>, events: readonly PreparedEvent[]): Promise<readonly PreparedEvent[]> {
    const { deduplication } = this.config;
    if (!deduplication || !events.some(({ isIdSupplied }) => isIdSupplied)) {
      await insertEvents(db, events).catch(teachDuplicateId);
      return events;
    }
    const written = new Set(await insertOnce(db, events, deduplication));
    const repeats = events.filter((event) => !written.has(event));
    if (repeats.length > 0) {
      // The caller of publish could not know: another transaction was faster.
      this.#logger.log({ msg: 'repeats left out at the commit', eventIds: repeats.map(({ eventId }) => eventId) });
    }
    return [...written];
  }
}

/** Ids that we make ourselves are new. */
function refuseRepeatedIds(collected: Collected, events: readonly PreparedEvent[]): void {
  if (!events.some(({ isIdSupplied }) => isIdSupplied)) {
    return;
  }
  const known = new Set<string>();
  for (let level: Collected | undefined = collected; level; level = level.parent) {
    level.events.forEach((event) => known.add(event.eventId));
  }
  for (const { eventId } of events) {
    if (known.has(eventId)) {
      throw new DuplicateEventIdError(eventId);
    }
    known.add(eventId);
  }
}

function teachDuplicateId(error: unknown): never {
  const eventId = takenEventId(error);
  throw eventId ? new DuplicateEventIdError(eventId, { cause: error }) : error;
}
