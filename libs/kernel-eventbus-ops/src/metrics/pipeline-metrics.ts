import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  type AttemptRecord,
  outcomeOf,
  PipelineObservers,
  type PipelineObserver,
  type RoutedEvent,
  EventBusConfig,
} from '@kernel/eventbus/engine';
import { BoundedLabel } from './bounded-label.js';
import { EventBusMetricsConfig } from './metrics.options.js';
import { ServiceMetrics } from './service-metrics.js';

const FAST = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** An alert uses 30 s, so there are bucket bounds on both sides of it. */
const PATIENT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 45, 60, 120, 300];
const RETRIED = [...PATIENT, 900, 3_600, 14_400];

/** Counts the events of the pipeline. The `outbox_` names are those of ADR-7 and AC11. */
@Injectable()
export class PipelineMetrics implements PipelineObserver, OnModuleInit {
  readonly #types: BoundedLabel;
  readonly #errorClasses: BoundedLabel;
  readonly #metrics: ReturnType<typeof registerMetrics>;

  constructor(
    private readonly observers: PipelineObservers,
    private readonly config: EventBusConfig,
    metricsConfig: EventBusMetricsConfig,
  ) {
    this.#types = new BoundedLabel(metricsConfig.maxLabelValues);
    this.#errorClasses = new BoundedLabel(metricsConfig.maxLabelValues);
    this.#metrics = registerMetrics(new ServiceMetrics(metricsConfig));
    ['first', 'later'].forEach((path) => this.#metrics.endToEnd.zero({ path }));
  }

  onModuleInit(): void {
    this.observers.add(this);
  }

  committed(events: readonly { type: string }[], writeMs: number): void {
    this.#metrics.writeDuration.observe({}, writeMs / 1_000);
    events.forEach(({ type }) => this.#metrics.created.inc({ event_type: this.#types.of(type) }));
  }

  routed(events: readonly RoutedEvent[]): void {
    const now = Date.now();
    events.forEach(({ createdAtMs }) => this.#metrics.publishLatency.observe({}, secondsSince(createdAtMs, now)));
  }

  settled(record: AttemptRecord): void {
    const outcome = outcomeOf(record);
    const dispatcher = record.delivery.endpoint.dispatcher ?? this.config.defaultDispatcher;
    const errorClass = record.errorClass ?? record.deadLetterReason ?? 'none';
    this.#metrics.deliveries.inc({ outcome, error_class: this.#errorClasses.of(errorClass), dispatcher });
    if (record.attempt) {
      this.#metrics.attempts.inc({});
      this.#metrics.attemptDuration.observe({ dispatcher, outcome }, record.attempt.latencyMs / 1_000);
    }
    switch (outcome) {
      case 'delivered':
        this.#metrics.published.inc({});
        return this.noteReceipt(record);
      case 'retry':
        return this.#metrics.retries.inc({});
      case 'dead_letter':
        return this.#metrics.permanentFailures.inc({});
      case 'deferred':
        return;
    }
  }

  workersLost(workers: number): void {
    this.#metrics.workersLost.inc({}, workers);
  }

  /**
   * Replayed and late-routed deliveries may arrive days after their event, so only the first claim counts as `first`.
   */
  private noteReceipt({ delivery: { createdAtMs, leaseEpoch } }: AttemptRecord): void {
    const path = leaseEpoch === 1 ? 'first' : 'later';
    this.#metrics.endToEnd.observe({ path }, secondsSince(createdAtMs, Date.now()));
  }
}

function registerMetrics(metrics: ServiceMetrics) {
  return {
    attempts: metrics.counter('outbox_publish_attempts_total', 'Attempts to hand an event to an endpoint'),
    published: metrics.counter('outbox_published_total', 'Events that an endpoint has taken'),
    retries: metrics.counter('outbox_retry_total', 'Attempts that failed and are tried again'),
    permanentFailures: metrics.counter('outbox_failed_permanent_total', 'Deliveries that went to the DLQ'),
    publishLatency: metrics.histogram(
      'outbox_publish_latency_seconds',
      'From created_at to published_at: how long an event waited until it was routed to its endpoints',
      PATIENT,
    ),
    created: metrics.counter('outbox_events_created_total', 'Events that were committed', ['event_type']),
    writeDuration: metrics.histogram(
      'outbox_publish_duration_seconds',
      "How long writing a transaction's events took, right before its commit",
      FAST,
    ),
    deliveries: metrics.counter('kernel_deliveries_total', 'What became of deliveries, attempt by attempt', [
      'outcome',
      'error_class',
      'dispatcher',
    ]),
    attemptDuration: metrics.histogram(
      'kernel_attempt_duration_seconds',
      'How long an endpoint took to answer, or to fail',
      PATIENT,
      ['dispatcher', 'outcome'],
    ),
    endToEnd: metrics.histogram(
      'kernel_end_to_end_latency_seconds',
      'From the commit of an event to its receipt, by whether it was taken on its first way or after a retry, replay or late routing',
      RETRIED,
      ['path'],
    ),
    workersLost: metrics.counter('kernel_workers_lost_total', 'Workers that fell silent without signing off'),
  };
}

/** Difference between the database's clock and this process's: never below zero. */
function secondsSince(thenMs: number, nowMs: number): number {
  return Math.max(0, nowMs - thenMs) / 1_000;
}
