import { Injectable, Logger } from '@nestjs/common';
import type { AttemptRecord } from '../deliveries/attempt-record.js';
import { faultOf } from '@kernel/runtime';

/** A routed event with its creation time and the span that published it. */
export interface RoutedEvent {
  eventId: string;
  type: string;
  /** Milliseconds since 1970, by the database's clock. */
  createdAtMs: number;
  /** W3C traceparent; null if the publication was not traced. */
  traceParent: string | null;
}

/** Receives pipeline events after the fact. Errors that it throws are logged and have no effect. */
export interface PipelineObserver {
  /** The transaction is committed; `writeMs` is the time to write its events. */
  committed?(events: readonly { type: string; tenantId: string }[], writeMs: number): void;
  /** The transaction that marked the events as published is committed. */
  routed?(events: readonly RoutedEvent[]): void;
  /** An attempt was judged, or a delivery was deferred or dead-lettered without one. Not recorded yet. */
  settled?(record: AttemptRecord): void;
  /** Workers stopped sending heartbeats, and their leases were released. */
  workersLost?(workers: number): void;
}

/** Single source of pipeline events. Has no listeners until a module adds an observer. */
@Injectable()
export class PipelineObservers implements Required<PipelineObserver> {
  readonly #logger = new Logger(PipelineObservers.name);
  readonly #observers: PipelineObserver[] = [];

  add(observer: PipelineObserver): void {
    this.#observers.push(observer);
  }

  committed(events: readonly { type: string; tenantId: string }[], writeMs: number): void {
    this.tell((observer) => observer.committed?.(events, writeMs));
  }

  routed(events: readonly RoutedEvent[]): void {
    this.tell((observer) => observer.routed?.(events));
  }

  settled(record: AttemptRecord): void {
    this.tell((observer) => observer.settled?.(record));
  }

  workersLost(workers: number): void {
    this.tell((observer) => observer.workersLost?.(workers));
  }

  private tell(how: (observer: PipelineObserver) => void): void {
    for (const observer of this.#observers) {
      try {
        how(observer);
      } catch (error) {
        this.#logger.error({ msg: 'an observer of the pipeline failed', fault: faultOf(error) });
      }
    }
  }
}
