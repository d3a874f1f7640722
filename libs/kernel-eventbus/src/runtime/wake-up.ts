import { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';

export interface EndpointChange {
  endpointId: string;
  /** Set if the endpoint was deleted, disabled or enabled. */
  state?: 'deleted' | 'disabled' | 'enabled';
}

/** Wakes the workers of this process before their next scheduled poll. */
@Injectable()
export class WakeUp {
  readonly #emitter = new EventEmitter();

  #isQueueTouched = false;

  /** Deliveries may be due. */
  nudge(): void {
    this.#isQueueTouched = true;
    this.#emitter.emit('nudge');
  }

  /** Events are waiting for routing; other processes are notified too. */
  published(): void {
    this.#emitter.emit('nudge');
    this.#emitter.emit('published');
  }

  /** Another process reports events that are waiting for routing. */
  publishedElsewhere(): void {
    this.#emitter.emit('nudge');
  }

  /** Deliveries that workers of this process hold for the endpoint are outdated. */
  endpointChanged(change: EndpointChange): void {
    this.#emitter.emit('endpoint', change);
  }

  /** True if there was a `nudge` since the last call. */
  takeQueueTouched(): boolean {
    const isTouched = this.#isQueueTouched;
    this.#isQueueTouched = false;
    return isTouched;
  }

  onPublished(listener: () => void): () => void {
    this.#emitter.on('published', listener);
    return () => this.#emitter.off('published', listener);
  }

  onEndpointChanged(listener: (change: EndpointChange) => void): () => void {
    this.#emitter.on('endpoint', listener);
    return () => this.#emitter.off('endpoint', listener);
  }

  /** Returns a function that unsubscribes. */
  onNudge(listener: () => void): () => void {
    this.#emitter.on('nudge', listener);
    return () => this.#emitter.off('nudge', listener);
  }
}
