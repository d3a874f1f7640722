import { setTimeout as delay } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import type { JetStreamConsumerOptions } from './jetstream-consumer.options.js';

const DRAIN_WITHIN_MS = 2_000;

/** The host's connection, or one that is opened on first use and closed by `close`. */
export class ConnectionKeeper {
  #made: NatsConnection | undefined;

  constructor(private readonly source: JetStreamConsumerOptions['connection']) {}

  async open(): Promise<NatsConnection> {
    if (typeof this.source !== 'function') {
      return this.source;
    }
    if (!this.#made || this.#made.isClosed()) {
      this.#made = await this.source();
    }
    return this.#made;
  }

  /** Drains, so pending acknowledgements still get through, unless the broker is away. */
  async close(): Promise<void> {
    const made = this.#made;
    if (made && !made.isClosed()) {
      const drained = made.drain().catch(() => undefined);
      await Promise.race([drained, delay(DRAIN_WITHIN_MS, undefined, { ref: false })]);
      await made.close();
    }
  }
}
