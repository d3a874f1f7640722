import { PostgresSecretVault, SECRET_CHANGES_CHANNEL } from '@kernel/secrets';
import { EntityManager } from '@mikro-orm/postgresql';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ENDPOINT_CHANGES_CHANNEL, readEndpointChange } from '../../endpoints/endpoints.sql.js';
import { EventBusConfig } from '../../eventbus.config.js';
import {
  answerWithin,
  connectEngine,
  releaseConnection,
  STATEMENT_MS,
  type Connection,
  faultOf,
  DONE_AGAIN_IF_LOST,
} from '@kernel/runtime';
import { WakeUp } from '../../runtime/wake-up.js';

const CHANNEL = 'kernel_eventbus';
/** Listeners are notified at the commit, which writes no data and need not wait for the disk. */
const NOTIFY = `begin; ${DONE_AGAIN_IF_LOST}; notify ${CHANNEL}; commit`;
const LISTEN = [CHANNEL, SECRET_CHANGES_CHANNEL, ENDPOINT_CHANGES_CHANNEL].map((name) => `listen ${name}`).join('; ');
/** The first commit notifies at once; all others within this time share one more NOTIFY. */
const DEBOUNCE_MS = 10;
const RECONNECT_MS = 1_000;
/** A connection that only listens does not notice a lost peer. */
const CHECK_MS = 10_000;

/** The additional part of a connection that a listener requires. */
interface Listener extends Connection {
  on(event: 'notification', heard: (notification: { channel: string; payload?: string }) => void): unknown;
  once(event: 'error' | 'end', lost: () => void): unknown;
}

/**
 * Carries nudges and changes of secrets and endpoints between processes with LISTEN and NOTIFY. Nudges are sent after
 * commits, never inside them, and debounced. It only reduces latency: without LISTEN (a transaction pooler, a lost
 * connection), scheduled polls find work and changed endpoints, and cached secrets expire soon.
 */
@Injectable()
export class RemoteWakeUp implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger(RemoteWakeUp.name);
  #listener: Listener | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #check: NodeJS.Timeout | undefined;
  #pending: NodeJS.Timeout | undefined;
  readonly #notifying = new Set<Promise<void>>();
  #listening: Promise<void> | undefined;
  #isOwed = false;
  #unsubscribe: () => void = () => undefined;
  #isStopped = false;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly wakeUp: WakeUp,
    private readonly vault: PostgresSecretVault,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.#unsubscribe = this.wakeUp.onPublished(() => this.notifyDebounced());
    if (this.config.role !== 'api') {
      await (this.#listening = this.listen());
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    clearTimeout(this.#reconnect);
    clearTimeout(this.#check);
    clearTimeout(this.#pending);
    const listener = this.#listener;
    this.#listener = undefined;
    if (listener) {
      releaseConnection(listener, true);
    }
    // Otherwise they would take a connection from a pool that is being closed.
    await Promise.all([...this.#notifying, this.#listening]);
  }

  private notifyDebounced(): void {
    if (this.#pending) {
      this.#isOwed = true;
      return;
    }
    const notifying: Promise<void> = this.notify().finally(() => this.#notifying.delete(notifying));
    this.#notifying.add(notifying);
    this.#pending = setTimeout(() => {
      this.#pending = undefined;
      if (this.#isOwed) {
        this.#isOwed = false;
        this.notifyDebounced();
      }
    }, DEBOUNCE_MS);
  }

  private async notify(): Promise<void> {
    let connection: Connection | undefined;
    let isBroken = true;
    try {
      const connected = await connectEngine(this.em);
      connection = connected;
      await answerWithin(connected, STATEMENT_MS, () => connected.query(NOTIFY));
      isBroken = false;
    } catch (error) {
      this.#logger.debug({ msg: 'notify failed; scheduled looks will find the work', fault: faultOf(error) });
    } finally {
      if (connection) {
        releaseConnection(connection, isBroken);
      }
    }
  }

  private async listen(): Promise<void> {
    let client: Listener | undefined;
    try {
      const connected = (await connectEngine(this.em)) as Listener;
      client = connected;
      if (this.#isStopped) {
        releaseConnection(connected, true);
        return;
      }
      this.#listener = connected;
      connected.on('notification', ({ channel, payload = '' }) => this.hear(channel, payload));
      connected.once('error', () => this.lose(connected));
      connected.once('end', () => this.lose(connected));
      await answerWithin(connected, STATEMENT_MS, () => connected.query(LISTEN));
      this.checkLater(connected);
      // Events may have been published before the listener was connected.
      this.wakeUp.nudge();
    } catch (error) {
      this.#logger.debug({ msg: 'listen failed; scheduled looks will find the work', fault: faultOf(error) });
      // A connection lost during LISTEN reports it twice; reconnecting twice would leak a listener.
      if (client) {
        this.lose(client);
      } else {
        this.listenLater();
      }
    }
  }

  private hear(channel: string, payload: string): void {
    switch (channel) {
      case SECRET_CHANGES_CHANNEL:
        return this.vault.hearChange(payload);
      case ENDPOINT_CHANGES_CHANNEL:
        return this.wakeUp.endpointChanged(readEndpointChange(payload));
      default:
        return this.wakeUp.publishedElsewhere();
    }
  }

  /** A check without an answer closes the connection, which is then handled as lost. */
  private checkLater(client: Listener): void {
    if (this.#listener !== client) {
      return;
    }
    this.#check = setTimeout(() => {
      answerWithin(client, STATEMENT_MS, () => client.query('select 1')).then(
        () => this.checkLater(client),
        () => this.lose(client),
      );
    }, CHECK_MS);
  }

  private lose(client: Listener): void {
    if (this.#listener === client) {
      this.#listener = undefined;
      clearTimeout(this.#check);
      releaseConnection(client, true);
      this.listenLater();
    }
  }

  private listenLater(): void {
    if (!this.#isStopped) {
      clearTimeout(this.#reconnect);
      this.#reconnect = setTimeout(() => {
        this.#listening = this.listen();
      }, RECONNECT_MS);
    }
  }
}
