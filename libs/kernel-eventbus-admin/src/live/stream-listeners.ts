import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { DeliveryWatch } from './delivery-watch.js';
import type { ProblemException } from '@kernel/http';
import { faultOf } from '@kernel/runtime';
import { TenantScope } from '@kernel/eventbus/engine';
import { TokenRecognizer } from '../access/token-recognizer.js';
import { PresentState } from '../stats/present-state.js';
import { ChangedDeliveries } from './changed-deliveries.js';
import type { EventStream } from './event-stream.js';
import { type ListenerOwner, noRoom, refuseListener } from './listener-limits.js';

export interface Listener extends ListenerOwner {
  stream: EventStream;
  /** Undefined: all tenants (operators only). */
  tenantId: string | undefined;
}

const TICK_MS = 1_000;
/** The intervals are in ticks. */
const NOW_EVERY = 2;
const TOKEN_EVERY = 5;
const KEEP_ALIVE_EVERY = 15;

/**
 * Sends changes to all listeners, with one query per second for changes and one every two seconds for the state of each
 * tenant with listeners. Without listeners there are no queries.
 */
@Injectable()
export class StreamListeners implements BeforeApplicationShutdown {
  readonly #logger = new Logger(StreamListeners.name);
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #ticks = 0;
  /** True if a new listener has not received the current state yet. */
  #isNowAwaited = false;
  #isStopped = false;

  constructor(
    private readonly watch: DeliveryWatch,
    private readonly deliveries: ChangedDeliveries,
    private readonly present: PresentState,
    private readonly tokens: TokenRecognizer,
    private readonly scope: TenantScope,
  ) {}

  get count(): number {
    return this.#listeners.size;
  }

  /** True while no queries are made. */
  get isIdle(): boolean {
    return this.#timer === undefined;
  }

  /** The reason why there is no room for another listener, or undefined. */
  refuse(owner: ListenerOwner): ProblemException | undefined {
    return this.#isStopped ? noRoom() : refuseListener([...this.#listeners], owner);
  }

  add(listener: Listener): void {
    // Closed during the token lookup: its close event has already fired.
    if (!listener.stream.isOpen) {
      return;
    }
    this.#listeners.add(listener);
    listener.stream.onClose(() => this.remove(listener));
    listener.stream.keepAlive();
    this.#timer ??= setInterval(() => this.begin(), TICK_MS);
    this.#isNowAwaited = true;
    this.begin();
  }

  /** Open streams would keep the server from closing, and a running query the pool. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#isStopped = true;
    this.#listeners.forEach((listener) => this.remove(listener));
    await this.#running;
  }

  private remove(listener: Listener): void {
    this.#listeners.delete(listener);
    listener.stream.end();
    if (this.#listeners.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  /** Ticks do not overlap: a slow one delays the next. */
  private begin(): void {
    this.#running ??= this.scope
      .withoutLimit(() => this.tick())
      .catch((error: unknown) => this.warn(error))
      .finally(() => {
        this.#running = undefined;
      });
  }

  private async tick(): Promise<void> {
    const tick = this.#ticks++;
    if (tick % TOKEN_EVERY === TOKEN_EVERY - 1) {
      await this.sendAwayTheRevoked();
    }
    if (this.#isNowAwaited || tick % NOW_EVERY === 0) {
      this.#isNowAwaited = false;
      await this.tellNow();
    }
    await this.tellChanges();
    if (tick % KEEP_ALIVE_EVERY === 0) {
      this.#listeners.forEach(({ stream }) => stream.keepAlive());
    }
  }

  private async sendAwayTheRevoked(): Promise<void> {
    for (const [token, listeners] of Map.groupBy(this.#listeners, (listener) => listener.token)) {
      if (!(await this.tokens.recognize(token))) {
        listeners.forEach((listener) => this.remove(listener));
      }
    }
  }

  private tellNow(): Promise<void> {
    return this.eachTenant(async (tenantId, listeners) => {
      const now = await this.present.look(listeners[0]!.principal, { tenantId });
      listeners.forEach(({ stream }) => stream.send('now', now));
    });
  }

  private async tellChanges(): Promise<void> {
    const changes = await this.watch.look();
    if (changes.length === 0) {
      return;
    }
    await this.eachTenant(async (tenantId, listeners) => {
      const own = changes.filter((change) => tenantId === undefined || change.tenantId === tenantId);
      const items = await this.deliveries.read(listeners[0]!.principal, own);
      if (items.length > 0) {
        listeners.forEach(({ stream }) => stream.send('deliveries', { items }));
      }
    });
  }

  /** A failure for one tenant does not affect the others. */
  private async eachTenant(
    tell: (tenantId: string | undefined, listeners: readonly Listener[]) => Promise<void>,
  ): Promise<void> {
    for (const [tenantId, listeners] of Map.groupBy(this.#listeners, (listener) => listener.tenantId)) {
      await tell(tenantId, listeners).catch((error: unknown) => this.warn(error));
    }
  }

  private warn(error: unknown): void {
    this.#logger.warn({ msg: 'listeners were not told', fault: faultOf(error) });
  }
}
