import { setTimeout as delay } from 'node:timers/promises';
import { EventBusError, faultOf } from '@kernel/eventbus';
import {
  jetstream,
  jetstreamManager,
  type JetStreamClient,
  type JetStreamManager,
  type JetStreamPublishOptions,
  type PubAck,
} from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import type { NatsConnection, Payload } from '@nats-io/transport-node';
import { NatsUnavailableError } from '../nats.errors.js';
import { connectTo } from './connect.js';
import type { NatsConnectionConfig } from './connection.options.js';

const TRY_AGAIN_MS = 500;
/** For every JetStream request, including publishes. */
const ANSWER_WITHIN_MS = 5_000;

export interface LiveLink {
  nc: NatsConnection;
  js: JetStreamClient;
  jsm: JetStreamManager;
}

/** Always with an id, by which the broker drops repeats. */
export type PublishOptions = Partial<JetStreamPublishOptions> & { msgID: string };

/** Creates the required streams and consumers, or throws an error that names the problem. */
export type PrepareBroker = (jsm: JetStreamManager) => Promise<void>;

/**
 * The connection of a process. A broker that is unavailable, at the start or later, is retried in the background; a
 * broker with a wrong setup fails the start.
 */
export class NatsLink {
  readonly #logger = new Logger(NatsLink.name);
  readonly #closing = new AbortController();
  readonly #listeners = new Set<(link: LiveLink) => void>();
  readonly #unconfirmed = new Set<(error: NatsUnavailableError) => void>();
  #live: LiveLink | undefined;
  /** Reason why the connection is unusable; undefined if it is usable. */
  #fault: string | undefined = 'it was not connected yet';
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
      this.cannotUse(error);
      this.#waiting = this.untilDone(() => this.connect());
    }
  }

  /** The live connection; throws if there is none. */
  require(): LiveLink {
    if (!this.#live || this.#fault !== undefined) {
      throw new NatsUnavailableError(`NATS cannot be used now (${this.#fault}): it is tried again in the background`);
    }
    return this.#live;
  }

  /**
   * Waits until the stream has confirmed the message. When the connection is lost, a pending publish fails at once
   * instead of after its timeout: the message may be stored all the same, and its id lets the broker drop the repeat.
   */
  async publish(subject: string, data: Payload, options: PublishOptions): Promise<PubAck> {
    const { js } = this.require();
    const lost = Promise.withResolvers<never>();
    this.#unconfirmed.add(lost.reject);
    try {
      return await Promise.race([js.publish(subject, data, options), lost.promise]);
    } finally {
      this.#unconfirmed.delete(lost.reject);
    }
  }

  /** Called at once if connected, and again after each reconnect. */
  onConnected(listener: (link: LiveLink) => void): void {
    this.#listeners.add(listener);
    if (this.#live && this.#fault === undefined) {
      listener(this.#live);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#live?.nc.close();
    await this.#waiting;
    this.#fault = 'it is closed';
    // Closes a connection that an attempt in progress opened meanwhile.
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

  private async untilDone(work: () => Promise<void>): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await delay(TRY_AGAIN_MS, undefined, { signal }).catch(() => undefined);
      try {
        return signal.aborted ? undefined : await work();
      } catch (error) {
        this.cannotUse(error);
      }
    }
  }

  private cannotUse(error: unknown): void {
    const fault = faultOf(error);
    // Logged once per reason, not twice a second during an outage.
    if (this.#fault !== fault.message) {
      this.#fault = fault.message;
      this.#logger.error({ msg: 'NATS cannot be used; trying again', fault });
    }
  }

  private connected(): void {
    this.#fault = undefined;
    this.#listeners.forEach((listener) => listener(this.#live!));
  }

  private async follow(nc: NatsConnection): Promise<void> {
    for await (const { type } of nc.status()) {
      if (type === 'disconnect') {
        this.#fault = 'the connection was lost';
        this.#unconfirmed.forEach((fail) =>
          fail(new NatsUnavailableError('the connection to NATS was lost meanwhile')),
        );
        this.#logger.warn({ msg: 'the connection to NATS was lost; trying again' });
      } else if (type === 'reconnect') {
        this.#waiting = this.comeBack();
      }
    }
  }

  /** The broker may be another one, or may have lost its data: the streams are checked again. */
  private async comeBack(): Promise<void> {
    const again = async () => {
      await this.prepare(this.#live!.jsm);
      this.#logger.log({ msg: 'NATS is back' });
      this.connected();
    };
    await again().catch((error: unknown) => {
      this.cannotUse(error);
      return this.untilDone(again);
    });
  }
}
