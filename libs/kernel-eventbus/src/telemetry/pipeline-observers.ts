import { Injectable, Logger } from '@nestjs/common';
import type { Settlement } from '../delivery/settlement.js';
import { faultOf } from '../runtime/fault.js';

/** An event as routing leaves it: how long it waited and whose span published it. */
export interface RoutedEvent {
  eventId: string;
  type: string;
  /** When it was written, in milliseconds since 1970, by the database's clock. */
  createdAtMs: number;
  /** W3C; null: nobody traced its publication. */
  traceParent: string | null;
}

/** Hears what happens in the pipeline, after it has happened. What it throws is logged and changes nothing. */
export interface PipelineObserver {
  /** The transaction is committed; writing its events took so long. */
  committed?(events: readonly { type: string; tenantId: string }[], writeMs: number): void;
  /** The transaction that marked them as published is committed. */
  routed?(events: readonly RoutedEvent[]): void;
  /** An attempt was judged, or a delivery was put off or given up without one; it is about to be recorded. */
  settled?(settlement: Settlement): void;
  /** Workers fell silent, and what they held is free again. */
  workersLost?(workers: number): void;
}

/** The one place where the pipeline says what it did. Nobody listens unless a module adds an observer. */
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

  settled(settlement: Settlement): void {
    this.tell((observer) => observer.settled?.(settlement));
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
