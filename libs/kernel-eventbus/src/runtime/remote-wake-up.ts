import { PostgresSecretVault, SECRET_CHANGES_CHANNEL } from '@kernel/secrets';
import { EntityManager } from '@mikro-orm/postgresql';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ENDPOINT_CHANGES_CHANNEL } from '../routing/announce-endpoint-change.sql.js';
import { EventBusConfig } from '../eventbus.options.js';
import { faultOf } from './fault.js';
import { DONE_AGAIN_IF_LOST } from './hot-transaction.js';
import { WakeUp } from './wake-up.js';

const CHANNEL = 'kernel_eventbus';
/** Listeners hear of it when it is committed; it has nothing to keep, so the commit need not wait for the disk. */
const NOTIFY = `begin; ${DONE_AGAIN_IF_LOST}; notify ${CHANNEL}; commit`;
/** The first commit notifies at once; however many follow, one more NOTIFY goes out per this time. */
const DEBOUNCE_MS = 10;
const RECONNECT_MS = 1_000;

/** What is needed of a connection of the pool; the driver behind it is MikroORM's. */
interface Listener {
  on(event: 'notification', heard: (notification: { channel: string; payload?: string }) => void): unknown;
  once(event: 'error' | 'end', lost: () => void): unknown;
  query(statement: string): Promise<unknown>;
  release(destroy: boolean): void;
}

/**
 * Carries nudges, and news of changed secrets and endpoints, between processes by LISTEN and NOTIFY: nudges after commits, never
 * inside them, and debounced. It is a comfort, not a need: where LISTEN does not work (a transaction pooler) or the connection is
 * lost, scheduled looks find the work, cached secrets have a short life, and of a changed endpoint only what is held already goes
 * out as it was.
 */
@Injectable()
export class RemoteWakeUp implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger(RemoteWakeUp.name);
  #listener: Listener | undefined;
  #reconnect: NodeJS.Timeout | undefined;
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
    clearTimeout(this.#pending);
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.release(true);
    // What is under way would otherwise take a connection of a pool that is being closed.
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
    try {
      const pool = await this.pool();
      await pool.query(NOTIFY);
    } catch (error) {
      this.#logger.debug({ msg: 'notify failed; scheduled looks will find the work', fault: faultOf(error) });
    }
  }

  private async listen(): Promise<void> {
    let client: Listener | undefined;
    try {
      const pool = await this.pool();
      const connected: Listener = await pool.connect();
      client = connected;
      if (this.#isStopped) {
        connected.release(true);
        return;
      }
      this.#listener = connected;
      connected.on('notification', ({ channel, payload = '' }) => this.hear(channel, payload));
      connected.once('error', () => this.lose(connected));
      connected.once('end', () => this.lose(connected));
      await connected.query(`listen ${CHANNEL}; listen ${SECRET_CHANGES_CHANNEL}; listen ${ENDPOINT_CHANGES_CHANNEL}`);
      // What was published while nobody listened.
      this.wakeUp.nudge();
    } catch (error) {
      this.#logger.debug({ msg: 'listen failed; scheduled looks will find the work', fault: faultOf(error) });
      // One that is lost while it says what it listens to tells so twice; a second listener would be held for ever.
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
        return this.wakeUp.endpointChanged(payload);
      default:
        return this.wakeUp.publishedElsewhere();
    }
  }

  private lose(client: Listener): void {
    if (this.#listener === client) {
      this.#listener = undefined;
      client.release(true);
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

  private pool() {
    return this.em.getConnection().getNativeClient();
  }
}
