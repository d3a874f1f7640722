import { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';

export interface EndpointChange {
  endpointId: string;
  /** Set where somebody deleted, disabled or enabled it. */
  state?: 'deleted' | 'disabled' | 'enabled';
}

/** Tells the workers of this process that there may be something to do, so that they need not wait for their next look. */
@Injectable()
export class WakeUp {
  readonly #emitter = new EventEmitter();

  #isQueueTouched = false;

  /** Deliveries may have become due. */
  nudge(): void {
    this.#isQueueTouched = true;
    this.#emitter.emit('nudge');
  }

  /** Events wait to be routed; workers of other processes hear of it too. */
  published(): void {
    this.#emitter.emit('nudge');
    this.#emitter.emit('published');
  }

  /** Events wait to be routed, as another process says. */
  publishedElsewhere(): void {
    this.#emitter.emit('nudge');
  }

  /** Deliveries that the workers of this process hold for the endpoint are out of date. */
  endpointChanged(change: EndpointChange): void {
    this.#emitter.emit('endpoint', change);
  }

  /** Whether there was a nudge for the queue since the last call. */
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

  /** Returns the function that ends the subscription. */
  onNudge(listener: () => void): () => void {
    this.#emitter.on('nudge', listener);
    return () => this.#emitter.off('nudge', listener);
  }
}
