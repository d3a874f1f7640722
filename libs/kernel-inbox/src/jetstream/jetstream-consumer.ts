import { setTimeout as delay } from 'node:timers/promises';
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { SignatureInvalidError } from '../inbox.errors.js';
import type { Inbox, Work } from '../reception/inbox.js';
import { ConnectionKeeper } from './connection-keeper.js';
import { ensureConsumer } from './ensure-consumer.js';
import {
  readConsumerOptions,
  type JetStreamConsumerConfig,
  type JetStreamConsumerOptions,
} from './jetstream-consumer.options.js';
import { judgeFailure } from './judge-failure.js';
import { toReceivedMessage } from './to-received-message.js';

/** Feeds events from JetStream to an inbox. A message is acknowledged after its transaction commits, never before. */
export class JetStreamConsumer {
  readonly #logger = new Logger(JetStreamConsumer.name);
  readonly #config: JetStreamConsumerConfig;
  readonly #connection: ConnectionKeeper;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #ended: Promise<void>;
  #messages: ConsumerMessages | undefined;

  private constructor(
    private readonly inbox: Inbox,
    options: JetStreamConsumerOptions,
    private readonly work: Work,
  ) {
    this.#config = readConsumerOptions(options);
    this.#connection = new ConnectionKeeper(this.#config.connection);
    this.#ended = this.run();
  }

  /** Stream and broker need not exist yet: the consumer waits for them. */
  static start(inbox: Inbox, options: JetStreamConsumerOptions, work: Work): JetStreamConsumer {
    return new JetStreamConsumer(inbox, options, work);
  }

  /** Stops fetching and finishes messages in flight. Close the database, and a connection of the host, after it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#messages?.stop();
    await this.#ended;
    await Promise.all(this.#underWay);
    await this.#connection.close();
  }

  private get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    const { stream, durable, retry } = this.#config;
    while (!this.isStopping) {
      try {
        await this.consume();
      } catch (error) {
        if (!this.isStopping) {
          this.#logger.warn({ msg: 'the stream cannot be read at present', stream, durable, error: textOf(error) });
          await delay(retry.initialDelayMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
        }
      }
    }
  }

  private async consume(): Promise<void> {
    const { maxAckPending } = this.#config;
    const consumer = await ensureConsumer(await this.#connection.open(), this.#config);
    this.#messages = await consumer.consume({ max_messages: maxAckPending, abort_on_missing_resource: true });
    if (this.isStopping) {
      this.#messages.stop();
    }
    for await (const message of this.#messages) {
      if (this.isStopping) {
        message.nak();
        continue;
      }
      const taking = this.take(message).finally(() => this.#underWay.delete(taking));
      this.#underWay.add(taking);
      if (this.#underWay.size >= maxAckPending) {
        await Promise.race(this.#underWay);
      }
    }
  }

  private async take(message: JsMsg): Promise<void> {
    // Extends the acknowledgement deadline, however long the work takes.
    const signOfLife = setInterval(() => message.working(), this.#config.ackWaitMs / 3);
    try {
      const event = await this.inbox.verify(toReceivedMessage(message), { isOfAnyAge: true });
      const reception = await this.inbox.process(event, this.work);
      this.#config.onReceived?.(event, reception);
      message.ack();
    } catch (error) {
      this.refuse(message, error);
    } finally {
      clearInterval(signOfLife);
    }
  }

  private refuse(message: JsMsg, error: unknown): void {
    const { deliveryCount: deliveries, streamSequence } = message.info;
    const { retry, unverified } = this.#config;
    const verdict = judgeFailure(error, { deliveries, unverified, ...retry });
    const eventId = message.headers?.get('webhook-id');
    const facts = { eventId, streamSequence, deliveries, error: textOf(error) };
    if (verdict.kind === 'give-up') {
      message.term();
      this.#logger.error({ msg: 'a message is given up: it does not come again', ...facts });
      return;
    }
    message.nak(verdict.delayMs);
    const level = error instanceof SignatureInvalidError ? 'error' : 'warn';
    this.#logger[level]({ msg: 'an event is not taken, it comes again', ...facts, delayMs: verdict.delayMs });
  }
}

/** The first line, without the value that PostgreSQL may quote at its end: it can be personal data. */
function textOf(error: unknown): string {
  return error instanceof Error
    ? `${error.name}: ${error.message.split('\n', 1)[0]!.replace(/\s+- detail: .*$|: ".*$/, '')}`
    : typeof error;
}
