import type { EventSubscriber } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Kysely } from 'kysely';
import {
  EventsNotWrittenError,
  OutboxTransactionRequiredError,
  TransactionAlreadyWrittenError,
  UntrackedTransactionError,
} from '../eventbus.errors.js';
import { EventBusConfig } from '../eventbus.config.js';
import { StageHooks } from '../runtime/stage-hooks.js';
import { WakeUp } from '../runtime/wake-up.js';
import { PipelineObservers } from '../telemetry/pipeline-observers.js';
import { insertEvents } from './events.sql.js';
import { insertOnce } from './insert-once.js';
import type { OpenTransaction } from './open-transaction.js';
import type { PreparedEvent } from './prepare-event.js';
import { refuseRepeatedIds } from './refuse-repeated-ids.js';
import { teachRetry } from './retryable-transaction.js';
import { teachDuplicateId } from './taken-event-id.js';

/** Arguments of MikroORM's transaction hooks; MikroORM exports no type for either field. */
interface TransactionArgs {
  em: object;
  transaction?: object;
}

interface Collected {
  events: PreparedEvent[];
  /** Set for a savepoint: gets its events when the savepoint is released. */
  parent: Collected | undefined;
  /** True once its events are being written: no more can be added. */
  isClosed: boolean;
  isWritten: boolean;
  /** Publications that nobody awaits; the commit does. */
  held: Promise<unknown>[];
  writeMs: number;
}

/**
 * Collects the events of each transaction and writes them with one statement right before its commit, which is sent
 * only after the server has accepted them. A savepoint's events join the enclosing transaction on release and are
 * dropped on rollback.
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

  /** @throws {OutboxTransactionRequiredError} when the EntityManager has no transaction */
  open(em: EntityManager, eventTypes: readonly string[]): OpenTransaction {
    const transaction = em.getTransactionContext<object>();
    if (!transaction) {
      throw new OutboxTransactionRequiredError(eventTypes);
    }
    return {
      get db() {
        return em.getKysely<unknown>();
      },
      verify: () => Promise.resolve(),
      findWaiting: (eventIds) => this.findWaiting(transaction, eventIds),
      add: async (events) => this.add(transaction, events),
    };
  }

  /** Lets the commit wait for the publication, and fail with it. */
  hold(em: EntityManager, eventTypes: readonly string[], publish: () => Promise<unknown>): void {
    const transaction = em.getTransactionContext<object>();
    if (!transaction) {
      throw new OutboxTransactionRequiredError(eventTypes);
    }
    const collected = this.#collected.get(transaction);
    if (!collected) {
      throw new UntrackedTransactionError();
    }
    const publication = publish();
    publication.catch(() => undefined);
    collected.held.push(publication);
  }

  /** Unwritten events with one of these ids, published in the transaction or in an enclosing one. */
  private findWaiting(transaction: object, eventIds: ReadonlySet<string>): PreparedEvent[] {
    const waiting: PreparedEvent[] = [];
    for (let level = this.#collected.get(transaction); level; level = level.parent) {
      waiting.push(...level.events.filter(({ eventId }) => eventIds.has(eventId)));
    }
    return waiting;
  }

  private add(transaction: object, events: readonly PreparedEvent[]): void {
    const collected = this.#collected.get(transaction);
    if (!collected) {
      throw new UntrackedTransactionError();
    }
    if (collected.isClosed) {
      throw new TransactionAlreadyWrittenError();
    }
    refuseRepeatedIds(acceptedBy(collected), events);
    if (collected.events.length === 0) {
      this.#abandoned.register(transaction, collected.events, collected);
    }
    collected.events.push(...events);
  }

  /** For a savepoint, MikroORM passes the enclosing transaction, and the savepoint to `afterTransactionStart`. */
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
    this.#collected.set(transaction!, { events: [], parent, isClosed: false, isWritten: false, held: [], writeMs: 0 });
  }

  async beforeTransactionCommit({ transaction }: TransactionArgs): Promise<void> {
    const collected = this.#collected.get(transaction!);
    // Another subscriber may fail a commit before it is sent. If it is retried, its events are already written.
    if (!collected) {
      return;
    }
    // More may be held meanwhile. A failed one stays, so that a retried commit fails again.
    for (let place = 0; place < collected.held.length; place += 1) {
      await collected.held[place];
    }
    if (collected.parent || collected.isClosed) {
      return;
    }
    collected.isClosed = true;
    if (collected.events.length > 0) {
      await this.write(transaction as Kysely<unknown>, collected).catch((error: unknown) => {
        // A retried commit writes them again, or fails again.
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
   * V8 keeps a watched object, and everything it references, until the next full collection. For a transaction that is
   * a lot, so it is watched only while it has events to lose.
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

  /** Returns the written events: all but repeats. */
  private async insert(db: Kysely<unknown>, events: readonly PreparedEvent[]): Promise<readonly PreparedEvent[]> {
    const { deduplication } = this.config;
    if (!deduplication || !events.some(({ isIdSupplied }) => isIdSupplied)) {
      await insertEvents(db, events).catch(teachDuplicateId);
      return events;
    }
    const written = new Set(await insertOnce(db, events, deduplication));
    const repeats = events.filter((event) => !written.has(event));
    if (repeats.length > 0) {
      // `publish` could not detect these: another transaction was faster.
      this.#logger.log({ msg: 'repeats left out at the commit', eventIds: repeats.map(({ eventId }) => eventId) });
    }
    return [...written];
  }
}

/** Events of the transaction and of those around it. */
function* acceptedBy(collected: Collected): Generator<PreparedEvent> {
  for (let level: Collected | undefined = collected; level; level = level.parent) {
    yield* level.events;
  }
}
