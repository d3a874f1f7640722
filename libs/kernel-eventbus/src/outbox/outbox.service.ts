import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import type { z } from 'zod';
import { appendEntries } from '@kernel/ledger';
import { isDefinedEvent, type DefinedEvent, type EventDefinition, type EventInput } from '../envelope/define-event.js';
import type { EventEnvelope } from '../envelope/event-envelope.js';
import { EventRegistry } from '../envelope/event-registry.js';
import {
  DuplicateEventIdError,
  EventBusError,
  EventNotDeclaredError,
  InvalidPublishOptionsError,
} from '../eventbus.errors.js';
import { EventBusConfig } from '../eventbus.config.js';
import { Clock, readCommitted } from '@kernel/runtime';
import { currentTraceId, currentTraceParent, currentTraceState, newTraceId } from '../trace/trace-context.js';
import { tracePublish } from '../telemetry/spans.js';
import { activeSpan } from '../trace/trace-parent.js';
import { ClientTransaction, type PgClient } from './client-transaction.js';
import type { DuplicatePolicy } from './duplicate-refusal.js';
import { findExistingEventIds, findExistingEvents } from './events.sql.js';
import { IdempotencyKeys } from './idempotency-keys.js';
import { noteDuplicate } from './note-duplicate.js';
import type { OpenTransaction } from './open-transaction.js';
import { prepareEvent, type PreparedEvent } from './prepare-event.js';
import type { PublishableEvent } from '../envelope/publishable-event.js';
import { teachRetry } from './retryable-transaction.js';
import { sortOutRepeats } from './sort-out-repeats.js';
import { toEnvelope, type PublishedEvent } from './to-envelope.js';
import { TransactionOutbox } from './transaction-outbox.js';

export interface PublishOptions {
  /** The EntityManager whose transaction the events belong to. Required for a fork with an explicit `begin()`. */
  em?: EntityManager;
  /**
   * Instead of `em`: a `pg` client of yours on which you have begun a transaction, e.g. under Drizzle, Kysely, TypeORM
   * or Knex. Its commit cannot be noticed, so the events are written by this call: the rows of their streams stay
   * locked until your transaction ends (publish late), and workers find the events by polling, within
   * `polling.maxIntervalMs`. Events published before a savepoint is rolled back to are gone with it.
   */
  client?: PgClient;
}

/** The method that the application called. */
type Entry = 'publish' | 'publishAll';

/** The only kernel service a domain needs: events published here exist if, and only if, its transaction commits. */
@Injectable()
export class OutboxService {
  readonly #logger = new Logger(OutboxService.name);

  constructor(
    private readonly em: EntityManager,
    private readonly outbox: TransactionOutbox,
    private readonly keys: IdempotencyKeys,
    private readonly registry: EventRegistry,
    private readonly config: EventBusConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds the event to the running transaction; it is written right before the commit, or at once with `client`. With `deduplication`, a repeat
   * adds nothing and returns the existing event; likewise with an `idempotencyKey` that is taken.
   * @throws {OutboxTransactionRequiredError} when no transaction runs
   * @throws {DuplicateEventIdError} when the supplied id exists and the event is not a repeat
   * @throws {EventIdReusedError} with `deduplication`, when the supplied id belongs to a different event
   * @throws {IdempotencyConflictError} when the idempotency key belongs to a different event
   * @throws {IdempotencyKeyRequiredError} when the type requires a key and the event has none
   * @throws {RetryableTransactionError} here or at the commit, when the transaction was aborted and a retry may succeed
   */
  publish<Type extends string, Schema extends z.ZodType>(
    definition: DefinedEvent<Type, Schema>,
    event: EventInput<EventDefinition<Type, Schema>>,
    options?: PublishOptions,
  ): Promise<PublishedEvent>;
  /** For types known only at run time. */
  publish(event: PublishableEvent, options?: PublishOptions): Promise<PublishedEvent>;
  async publish(
    first: DefinedEvent | PublishableEvent,
    second: EventInput<DefinedEvent> | PublishOptions = {},
    third: PublishOptions = {},
  ): Promise<PublishedEvent> {
    const [envelope] = isDefinedEvent(first)
      ? await this.write([this.declared(first).of(second as EventInput<DefinedEvent>)], third, 'publish')
      : await this.write([first], second as PublishOptions, 'publish');
    return envelope!;
  }

  /**
   * Like `publish`, for several events at the cost of one: one statement writes all events of a transaction. Events of
   * several declared types: `publishAll([PostingCreated.of({ … }), InvoicePosted.of({ … })])`.
   */
  publishAll<Type extends string, Schema extends z.ZodType>(
    definition: DefinedEvent<Type, Schema>,
    events: readonly EventInput<EventDefinition<Type, Schema>>[],
    options?: PublishOptions,
  ): Promise<PublishedEvent[]>;
  publishAll(events: readonly PublishableEvent[], options?: PublishOptions): Promise<PublishedEvent[]>;
  async publishAll(
    first: DefinedEvent | readonly PublishableEvent[],
    second: readonly EventInput<DefinedEvent>[] | PublishOptions = {},
    third: PublishOptions = {},
  ): Promise<PublishedEvent[]> {
    if ('type' in first) {
      const definition = this.declared(first);
      const events = second as readonly EventInput<DefinedEvent>[];
      return this.write(
        events.map((event) => definition.of(event)),
        third,
        'publishAll',
      );
    }
    return this.write(first, second as PublishOptions, 'publishAll');
  }

  /**
   * `publishAll` for code that cannot await, e.g. `AggregateRoot.commit()` of `@nestjs/cqrs`: the commit waits for it, and
   * fails if it fails.
   * @throws {OutboxTransactionRequiredError} when no transaction runs
   */
  publishAtCommit(events: readonly PublishableEvent[], { em = this.em }: Pick<PublishOptions, 'em'> = {}): void {
    const types = events.map(({ type }) => type);
    this.outbox.hold(em, types, () => this.publishAll(events, { em }));
  }

  /** Opens its own transaction. For code that changes no other state; otherwise use `publish`. */
  publishDetached<Type extends string, Schema extends z.ZodType>(
    definition: DefinedEvent<Type, Schema>,
    event: EventInput<EventDefinition<Type, Schema>>,
  ): Promise<PublishedEvent>;
  publishDetached(event: PublishableEvent): Promise<PublishedEvent>;
  async publishDetached(
    first: DefinedEvent | PublishableEvent,
    second?: EventInput<DefinedEvent>,
  ): Promise<PublishedEvent> {
    const event = isDefinedEvent(first) ? this.declared(first).of(second!) : first;
    return readCommitted(this.em, (em) => this.publish(event, { em }));
  }

  private declared(definition: DefinedEvent): DefinedEvent {
    if (!this.registry.find(definition.type)) {
      throw new EventNotDeclaredError(definition.type);
    }
    return definition;
  }

  private write(events: readonly PublishableEvent[], options: PublishOptions, entry: Entry): Promise<PublishedEvent[]> {
    return tracePublish(events, (traceParent) => this.add(options, events, traceParent, entry).catch(teachRetry));
  }

  private async add(
    options: PublishOptions,
    events: readonly PublishableEvent[],
    traceParent: string | null,
    entry: Entry,
  ): Promise<PublishedEvent[]> {
    const { transaction, prepared } = fromCaller(entry, () => ({
      transaction: this.transactionOf(options, events),
      prepared: this.prepareAll(events, traceParent),
    }));
    return prepared.some(({ idempotencyKey }) => idempotencyKey !== null)
      ? this.publishKeyed(transaction, prepared)
      : this.collect(transaction, prepared);
  }

  private transactionOf({ em, client }: PublishOptions, events: readonly PublishableEvent[]): OpenTransaction {
    const types = events.map(({ type }) => type);
    if (client === undefined) {
      return this.outbox.open(em ?? this.em, types);
    }
    if (em) {
      throw new InvalidPublishOptionsError('em and client name two transactions; give one of them');
    }
    return new ClientTransaction(client, types, this.config.deduplication);
  }

  private prepareAll(events: readonly PublishableEvent[], traceParent: string | null): PreparedEvent[] {
    const { config, registry } = this;
    const context = {
      registry,
      traceId: currentTraceId() ?? activeSpan()?.traceId ?? (config.traceId === 'generated' ? newTraceId() : undefined),
      // Without an SDK the caller's stands for the span.
      traceParent: traceParent ?? currentTraceParent(),
      traceState: currentTraceState(),
      now: this.clock.now(),
      maxPayloadBytes: config.maxPayloadBytes,
      maxPayloadDepth: config.maxPayloadDepth,
      isKeyRequired: config.idempotency.isKeyRequired,
    };
    return events.map((event) => prepareEvent(event, context));
  }

  private async publishKeyed(
    transaction: OpenTransaction,
    prepared: readonly PreparedEvent[],
  ): Promise<PublishedEvent[]> {
    await transaction.verify();
    const { db } = transaction;
    const { repeats, release } = await this.keys.claim(db, prepared);
    const fresh = prepared.filter((event) => !repeats.has(event));
    const envelopes = await this.collect(transaction, fresh).catch(async (error: unknown) => {
      await release().catch(() => undefined);
      throw error;
    });
    const noted = { now: this.clock.now(), attributeNames: this.config.telemetryAttributes };
    const duplicates = [...repeats].map(([repeat, first]) => noteDuplicate(repeat, first, noted));
    await appendEntries(
      db,
      duplicates.map(({ entry }) => entry),
    );
    duplicates.forEach(({ logLine }) => this.#logger.log(logLine));
    const answers = new Map<PreparedEvent, PublishedEvent>(fresh.map((event, place) => [event, envelopes[place]!]));
    for (const [repeat, first] of repeats) {
      // The hashes are equal, so the repeat's payload is that of the first event.
      const envelope = toEnvelope({ ...first, payloadJson: repeat.payloadJson });
      answers.set(repeat, Object.assign(envelope, { duplicateDetected: true as const }));
    }
    return prepared.map((event) => answers.get(event)!);
  }

  private async collect(transaction: OpenTransaction, prepared: readonly PreparedEvent[]): Promise<EventEnvelope[]> {
    const { deduplication } = this.config;
    const isAnyIdSupplied = prepared.some(({ isIdSupplied }) => isIdSupplied);
    if (deduplication && isAnyIdSupplied) {
      return this.publishOnce(transaction, prepared, deduplication);
    }
    if (isAnyIdSupplied) {
      await this.refuseKnownIds(transaction, prepared);
    }
    await transaction.add(prepared);
    return prepared.map(toEnvelope);
  }

  /** Must not await after reading the transaction's own events: two concurrent calls would not see each other. */
  private async publishOnce(
    transaction: OpenTransaction,
    prepared: readonly PreparedEvent[],
    policy: DuplicatePolicy,
  ): Promise<EventEnvelope[]> {
    const existing = await findExistingEvents(transaction.db, prepared, policy.retentionDays);
    const waiting = transaction.findWaiting(new Set(prepared.map(({ eventId }) => eventId)));
    const { fresh, answers } = sortOutRepeats(prepared, [...existing, ...waiting], policy);
    await transaction.add(fresh);
    return answers.map(toEnvelope);
  }

  /** Generated ids are new; only supplied ones are looked up. The primary key decides at the commit. */
  private async refuseKnownIds(transaction: OpenTransaction, events: readonly PreparedEvent[]): Promise<void> {
    const supplied = events.filter(({ isIdSupplied }) => isIdSupplied).map(({ eventId }) => eventId);
    const [existing] = await findExistingEventIds(transaction.db, supplied);
    if (existing) {
      throw new DuplicateEventIdError(existing);
    }
  }
}

/** Drops the frames of the outbox from the stack of a refusal: the first line then shows the call to correct. */
function fromCaller<T>(entry: Entry, prepare: () => T): T {
  try {
    return prepare();
  } catch (error) {
    if (error instanceof EventBusError) {
      Error.captureStackTrace(error, Reflect.get(OutboxService.prototype, entry));
    }
    throw error;
  }
}
