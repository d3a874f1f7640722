import { setTimeout as delay } from 'node:timers/promises';
import { EventBusError, faultOf } from '@kernel/eventbus';
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import type { NatsConnection } from '@nats-io/transport-node';
import { NatsUnavailableError } from '../nats.errors.js';
import { connectTo } from './connect.js';
import type { NatsConnectionConfig } from './connection.options.js';

const TRY_AGAIN_MS = 1_000;
/** For every question to JetStream, a publish included. */
const ANSWER_WITHIN_MS = 5_000;

export interface LiveLink {
  nc: NatsConnection;
  js: JetStreamClient;
  jsm: JetStreamManager;
}

/** Makes what is demanded of the broker, or throws an error that says what is wrong. */
export type PrepareBroker = (jsm: JetStreamManager) => Promise<void>;

/**
 * The connection of a process. A broker that is away at the start or later is waited for in the background; one that is there
 * and not as demanded stops the start.
 */
export class NatsLink {
  readonly #logger = new Logger(NatsLink.name);
  readonly #closing = new AbortController();
  readonly #listeners = new Set<(link: LiveLink) => void>();
  #live: LiveLink | undefined;
  #isConnected = false;
  #waiting: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: NatsConnectionConfig,
    private readonly prepare: PrepareBroker,
  ) {}

  async open(): Promise<void> {
    try {
      await this.connect();
    } catch (error) {
      if (error instanceof EventBusError) {
        throw error;
      }
      this.#logger.warn({ msg: 'NATS is away; trying again', fault: faultOf(error) });
      this.#waiting = this.untilConnected();
    }
  }

  /** What there is to talk to right now. */
  require(): LiveLink {
    if (!this.#live || !this.#isConnected) {
      throw new NatsUnavailableError('there is no connection to NATS: it is tried again in the background');
    }
    return this.#live;
  }

  /** Called at once if there is a connection, and again each time that it comes back. */
  onConnected(listener: (link: LiveLink) => void): void {
    this.#listeners.add(listener);
    if (this.#live && this.#isConnected) {
      listener(this.#live);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#waiting;
    this.#isConnected = false;
    await this.#live?.nc.close();
  }

  private async connect(): Promise<void> {
    const nc = await connectTo(this.config);
    try {
      const jsm = await jetstreamManager(nc, { checkAPI: false, timeout: ANSWER_WITHIN_MS });
      await this.prepare(jsm);
      this.#live = { nc, jsm, js: jetstream(nc, { timeout: ANSWER_WITHIN_MS }) };
    } catch (error) {
      await nc.close();
      throw error;
    }
    this.connected();
    void this.follow(nc);
  }

  private async untilConnected(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await delay(TRY_AGAIN_MS, undefined, { signal }).catch(() => undefined);
      try {
        return signal.aborted ? undefined : await this.connect();
      } catch (error) {
        this.#logger.error({ msg: 'NATS cannot be used; trying again', fault: faultOf(error) });
      }
    }
  }

  private connected(): void {
    this.#isConnected = true;
    this.#listeners.forEach((listener) => listener(this.#live!));
  }

  private async follow(nc: NatsConnection): Promise<void> {
    for await (const { type } of nc.status()) {
      if (type === 'disconnect') {
        this.#isConnected = false;
        this.#logger.warn({ msg: 'NATS is away; trying again' });
      } else if (type === 'reconnect') {
        this.#logger.log({ msg: 'NATS is back' });
        this.connected();
      }
    }
  }
}
