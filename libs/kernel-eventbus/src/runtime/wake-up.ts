import { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';

/** Tells the workers of this process that there may be something to do, so that they need not wait for their next look. */
@Injectable()
export class WakeUp {
  readonly #emitter = new EventEmitter();

  nudge(): void {
    this.#emitter.emit('nudge');
  }

  /** Like a nudge, for what the workers of other processes should hear of too. */
  published(): void {
    this.nudge();
    this.#emitter.emit('published');
  }

  onPublished(listener: () => void): () => void {
    this.#emitter.on('published', listener);
    return () => this.#emitter.off('published', listener);
  }

  /** Returns the function that ends the subscription. */
  onNudge(listener: () => void): () => void {
    this.#emitter.on('nudge', listener);
    return () => this.#emitter.off('nudge', listener);
  }
}
