import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { appendEntries } from '../audit/append-entries.sql.js';
import type { EventEnvelope } from '../envelope/event-envelope.js';
import { EventRegistry } from '../envelope/event-registry.js';
import { DuplicateEventIdError, OutboxTransactionRequiredError } from '../eventbus.errors.js';
import { EventBusConfig } from '../eventbus.options.js';
import { Clock } from '../runtime/clock.js';
import { readCommitted } from '../runtime/read-committed.js';
import { currentTraceId } from '../runtime/trace-context.js';
import { tracePublish } from '../telemetry/spans.js';
import { activeSpan } from '../telemetry/trace-parent.js';
import type { DuplicatePolicy } from './duplicate-refusal.js';
import { findExistingEventIds } from './find-existing-event-ids.sql.js';
import { findExistingEvents } from './find-existing-events.sql.js';
import { IdempotencyKeys } from './idempotency-keys.js';
import { noteDuplicate } from './note-duplicate.js';
import { prepareEvent, type PreparedEvent } from './prepare-event.js';
import type { PublishableEvent } from './publishable-event.js';
import { teachRetry } from './retryable-transaction.js';
import { sortOutRepeats } from './sort-out-repeats.js';
import { toEnvelope, type PublishedEvent } from './to-envelope.js';
import { TransactionOutbox } from './transaction-outbox.js';

export interface PublishOptions {
  /** The EntityManager whose transaction the events belong to. Needed for a fork with an explicit `begin()`. */
  em?: EntityManager;
}

/** The one thing a domain needs to know of the kernel: events published here exist if, and only if, its transaction commits. */
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
   * Adds the event to the running transaction; it is written right before the commit. Under `deduplication`, a repeat of an
   * event that exists adds nothing, and what exists is returned; likewise under an `idempotencyKey` that is taken.
   * @throws {OutboxTransactionRequiredError} when no transaction runs
   * @throws {DuplicateEventIdError} when the supplied id exists and the event cannot be taken for a repeat
   * @throws {EventIdReusedError} under `deduplication`, when the supplied id belongs to an event that says something else
   * @throws {IdempotencyConflictError} when the idempotency key belongs to an event that says something else
   * @throws {IdempotencyKeyRequiredError} when the type demands a key and there is none
   * @throws {RetryableTransactionError} here or at the commit, when PostgreSQL ended the transaction in favour of another
   */
  async publish(event: PublishableEvent, options: PublishOptions = {}): Promise<PublishedEvent> {
    const [envelope] = await this.publishAll([event], options);
    return envelope!;
  }

  /** Like `publish`, for several events at the cost of one: all of a transaction's events are written by one statement. */
  async publishAll(events: readonly PublishableEvent[], options: PublishOptions = {}): Promise<PublishedEvent[]> {
    return tracePublish(events, (traceParent) =>
      this.add(options.em ?? this.em, events, traceParent).catch(teachRetry),
    );
  }

  /** Opens a transaction of its own. For code that changes nothing else; wherever state changes too, use `publish`. */
  async publishDetached(event: PublishableEvent): Promise<PublishedEvent> {
    return readCommitted(this.em, (em) => this.publish(event, { em }));
  }

  private async add(
    em: EntityManager,
    events: readonly PublishableEvent[],
    traceParent: string | null,
  ): Promise<PublishedEvent[]> {
    const transaction = em.getTransactionContext<object>();
    if (!transaction) {
      throw new OutboxTransactionRequiredError(events.map((event) => event.type));
    }
    const prepared = events.map((event) => this.prepare(event, traceParent));
    return prepared.some(({ idempotencyKey }) => idempotencyKey !== null)
      ? this.publishKeyed(em, transaction, prepared)
      : this.collect(em, transaction, prepared);
  }

  private prepare(event: PublishableEvent, traceParent: string | null): PreparedEvent {
    return prepareEvent(event, {
      registry: this.registry,
      traceId: currentTraceId() ?? activeSpan()?.traceId,
      traceParent,
      now: this.clock.now(),
      maxPayloadBytes: this.config.maxPayloadBytes,
      maxPayloadDepth: this.config.maxPayloadDepth,
      isKeyRequired: this.config.idempotency.isKeyRequired,
    });
  }

  private async publishKeyed(
    em: EntityManager,
    transaction: object,
    prepared: readonly PreparedEvent[],
  ): Promise<PublishedEvent[]> {
    const db = em.getKysely<unknown>();
    const { repeats, release } = await this.keys.claim(db, prepared);
    const fresh = prepared.filter((event) => !repeats.has(event));
    const envelopes = await this.collect(em, transaction, fresh).catch(async (error: unknown) => {
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
      // Its payload has the same hash, so it is the same.
      const envelope = toEnvelope({ ...first, payloadJson: repeat.payloadJson });
      answers.set(repeat, Object.assign(envelope, { duplicateDetected: true as const }));
    }
    return prepared.map((event) => answers.get(event)!);
  }

  private async collect(
    em: EntityManager,
    transaction: object,
    prepared: readonly PreparedEvent[],
  ): Promise<EventEnvelope[]> {
    const { deduplication } = this.config;
    const isAnyIdSupplied = prepared.some(({ isIdSupplied }) => isIdSupplied);
    if (deduplication && isAnyIdSupplied) {
      return this.publishOnce(em, transaction, prepared, deduplication);
    }
    if (isAnyIdSupplied) {
      await this.refuseKnownIds(em, prepared);
    }
    this.outbox.add(transaction, prepared);
    return prepared.map(toEnvelope);
  }

  /** Nothing may be awaited once the transaction's own events are read: two calls at once would not see each other. */
  private async publishOnce(
    em: EntityManager,
    transaction: object,
    prepared: readonly PreparedEvent[],
    policy: DuplicatePolicy,
  ): Promise<EventEnvelope[]> {
    const existing = await findExistingEvents(em.getKysely(), prepared, policy.retentionDays);
    const waiting = this.outbox.findWaiting(transaction, new Set(prepared.map(({ eventId }) => eventId)));
    const { fresh, answers } = sortOutRepeats(prepared, [...existing, ...waiting], policy);
    this.outbox.add(transaction, fresh);
    return answers.map(toEnvelope);
  }

  /** Ids that we make ourselves are new; only supplied ones cost a look. The primary key stays the last word at commit. */
  private async refuseKnownIds(em: EntityManager, events: readonly PreparedEvent[]): Promise<void> {
    const supplied = events.filter(({ isIdSupplied }) => isIdSupplied).map(({ eventId }) => eventId);
    const [existing] = await findExistingEventIds(em.getKysely(), supplied);
    if (existing) {
      throw new DuplicateEventIdError(existing);
    }
  }
}
