import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InboxConfig } from '../inbox.options.js';
import { Inbox } from '../reception/inbox.js';

const MINUTE_MS = 60_000;

/**
 * Prunes old marks, at startup and at an interval. Shutdown waits for the current batch, because the pool closes next.
 */
@Injectable()
export class MarkKeeper implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger(MarkKeeper.name);
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(
    private readonly inbox: Inbox,
    private readonly config: InboxConfig,
  ) {}

  onApplicationBootstrap(): void {
    const { pruneEveryMinutes } = this.config;
    if (pruneEveryMinutes > 0) {
      this.begin();
      this.#timer = setInterval(() => this.begin(), pruneEveryMinutes * MINUTE_MS).unref();
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#timer);
    await this.#round;
  }

  private begin(): void {
    this.#round ??= this.prune();
  }

  private async prune(): Promise<void> {
    try {
      const pruned = await this.inbox.prune({ signal: this.#stopping.signal });
      this.#logger.log({ msg: 'old marks forgotten', inbox: this.config.name, pruned });
    } catch (error) {
      // The next run tries again. The text of a database error may quote rows, so only its class is logged.
      this.#logger.warn({ msg: 'old marks could not be forgotten', inbox: this.config.name, error: classOf(error) });
    } finally {
      this.#round = undefined;
    }
  }
}

function classOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
