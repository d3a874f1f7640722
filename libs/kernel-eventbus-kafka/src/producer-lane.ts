import { Producer } from '@platformatic/kafka';
import { isIdempotenceRefusal, isRefusal } from './classify-kafka-error.js';
import { hashOf } from './key-hash.js';
import type { KafkaSinkConfig } from './kafka-sink.options.js';

export interface SinkMessage {
  topic: string;
  key: Buffer;
  value: Buffer;
  headers: Map<Buffer, Buffer>;
}

/** Position of a written message. */
export interface Acknowledgement {
  topic: string;
  partition: number;
  offset: string;
}

interface Waiting {
  message: SinkMessage;
  /** Aborted when the caller stops waiting. */
  signal: AbortSignal;
  settled: PromiseWithResolvers<Acknowledgement | undefined>;
}

const MAX_BATCH_MESSAGES = 200;
/** Half of a topic's default limit. */
const MAX_BATCH_BYTES = 512 * 1024;

/** The client counts these in addition to the first; a lower value would make it retry forever. */
const CLIENT_RETRIES = 2;
const CLIENT_RETRY_DELAY_MS = 200;
const CLOSE_PATIENCE_MS = 2_000;

/** Called when the brokers do not allow an idempotent producer. */
export type OnDowngrade = (error: unknown) => void;

/**
 * One producer that sends one batch at a time: messages that arrive meanwhile form the next batch. Never two at once:
 * the client restarts its sequence numbers after a failure, so a message in flight under an old number could be
 * mistaken for a repeat and acknowledged without being written.
 */
export class ProducerLane {
  readonly #client: Producer;
  readonly #onDowngrade: OnDowngrade;
  readonly #waiting: Waiting[] = [];
  #isRunning = false;
  #isIdempotent: boolean;

  constructor(config: KafkaSinkConfig, onDowngrade: OnDowngrade) {
    this.#isIdempotent = config.idempotent;
    this.#onDowngrade = onDowngrade;
    this.#client = new Producer({
      clientId: config.clientId,
      bootstrapBrokers: [...config.brokers],
      tls: config.tls,
      sasl: config.sasl,
      acks: -1,
      idempotent: config.idempotent,
      // Means "no producer yet" in the protocol; the client's own default would be the id of another producer.
      producerId: -1n,
      producerEpoch: -1,
      retries: CLIENT_RETRIES,
      retryDelay: CLIENT_RETRY_DELAY_MS,
      timeout: config.requestTimeoutMs,
      requestTimeout: config.requestTimeoutMs,
      connectTimeout: config.connectTimeoutMs,
      autocreateTopics: false,
      partitioner: (_message, key) => hashOf(key!),
    });
  }

  /** Resolves when all in-sync replicas have the message; undefined if the brokers did not return an offset. */
  produce(message: SinkMessage, signal: AbortSignal): Promise<Acknowledgement | undefined> {
    const settled = Promise.withResolvers<Acknowledgement | undefined>();
    this.#waiting.push({ message, signal, settled });
    if (!this.#isRunning) {
      this.#isRunning = true;
      void this.#run();
    }
    return settled.promise;
  }

  async close(): Promise<void> {
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, CLOSE_PATIENCE_MS);
    try {
      await Promise.race([this.#client.close(true), patience.promise]);
    } finally {
      clearTimeout(timer);
      // A broker that hangs never reads the unflushed data.
      for (const [, connection] of this.#client.connections) {
        connection.socket.destroy();
      }
    }
  }

  async #run(): Promise<void> {
    // Messages published within one turn of the event loop share a batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      await this.#send(this.#takeBatch());
    }
    this.#isRunning = false;
  }

  #takeBatch(): Waiting[] {
    let bytes = 0;
    const beyond = this.#waiting.findIndex(({ message }, place) => {
      bytes += message.value.length;
      return place > 0 && (place >= MAX_BATCH_MESSAGES || bytes > MAX_BATCH_BYTES);
    });
    return this.#waiting.splice(0, beyond === -1 ? this.#waiting.length : beyond);
  }

  /** Skips messages whose caller stopped waiting: they will be sent again. */
  async #send(batch: Waiting[]): Promise<void> {
    const wanted = batch.filter(({ signal }) => !signal.aborted);
    batch.filter(({ signal }) => signal.aborted).forEach(({ settled, signal }) => settled.reject(signal.reason));
    if (wanted.length === 0) {
      return;
    }
    try {
      await this.#settleIdempotence();
      const messages = wanted.map(({ message }) => ({ ...message }));
      const { offsets = [] } = await this.#client.send({ messages, idempotent: this.#isIdempotent });
      const firstOffsets = new Map(offsets.map(({ topic, partition, offset }) => [`${topic}:${partition}`, offset]));
      wanted.forEach(({ message, settled }) => settled.resolve(this.#placeOf(message, firstOffsets)));
    } catch (error) {
      await this.#sort(wanted, error);
    }
  }

  /** A refused message fails its whole partition: then each message is sent alone. */
  async #sort(batch: Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1 || !isRefusal(error)) {
      batch.forEach(({ settled }) => settled.reject(error));
      return;
    }
    for (const one of batch) {
      await this.#send([one]);
    }
  }

  async #settleIdempotence(): Promise<void> {
    if (!this.#isIdempotent || this.#client.producerId !== undefined) {
      return;
    }
    try {
      await this.#client.initIdempotentProducer({});
    } catch (error) {
      if (!isIdempotenceRefusal(error)) {
        throw error;
      }
      this.#isIdempotent = false;
      this.#onDowngrade(error);
    }
  }

  /** Messages of a partition get consecutive offsets, in the order of the batch. */
  #placeOf({ topic, key }: SinkMessage, nextOffsets: Map<string, bigint>): Acknowledgement | undefined {
    const partitions = this.#client.currentMetadata?.topics.get(topic)?.partitionsCount;
    if (!partitions) {
      return undefined;
    }
    const partition = hashOf(key) % partitions;
    const offset = nextOffsets.get(`${topic}:${partition}`);
    if (offset === undefined) {
      return undefined;
    }
    nextOffsets.set(`${topic}:${partition}`, offset + 1n);
    return { topic, partition, offset: String(offset) };
  }
}
