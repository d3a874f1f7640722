import { faultOf } from '@kernel/eventbus';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { hashOf } from './key-hash.js';
import { KafkaSinkConfig } from './kafka-sink.options.js';
import { ProducerLane, type Acknowledgement, type SinkMessage } from './producer-lane.js';

/** The producers of this process, created with the first message and closed after the last worker has stopped. */
@Injectable()
export class KafkaProducers implements OnApplicationShutdown {
  readonly #logger = new Logger(KafkaProducers.name);
  readonly #lanes = new Map<number, ProducerLane>();
  #isClosed = false;
  #isDowngraded = false;

  constructor(private readonly config: KafkaSinkConfig) {}

  /** Messages of one key always use the same producer. */
  async produce(message: SinkMessage, signal: AbortSignal): Promise<Acknowledgement | undefined> {
    if (this.#isClosed) {
      throw Object.assign(new Error('the application is shutting down'), { code: 'SHUTTING_DOWN' });
    }
    const place = hashOf(message.key) % this.config.producers;
    let lane = this.#lanes.get(place);
    if (!lane) {
      lane = new ProducerLane(this.config, (error) => this.#noteDowngrade(error));
      this.#lanes.set(place, lane);
    }
    return lane.produce(message, signal);
  }

  async onApplicationShutdown(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#lanes.values()].map((lane) => lane.close()));
  }

  #noteDowngrade(error: unknown): void {
    if (!this.#isDowngraded) {
      this.#isDowngraded = true;
      this.#logger.warn({ msg: 'kafka allows no idempotent producer: written without', fault: faultOf(error) });
    }
  }
}
