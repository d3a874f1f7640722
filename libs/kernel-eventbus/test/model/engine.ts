import { defineEvent } from '../../src/envelope/define-event.js';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ConsoleLogger, type Type } from '@nestjs/common';
import { AdminApi, type AdminClient } from '@kernel/test-support/admin-api';
import type { KernelApp } from '@kernel/test-support/kernel-app';
import { EventBusConfig } from '../../src/eventbus.config.js';
import { engineDatabase } from '@kernel/runtime';
import { TIMES } from './model-time.js';

/** Events of this type are numbered in their stream. */
export const ORDERED_TYPE = 'ordered.v1';
export const LOOSE_TYPE = 'loose.v1';

/** The application without a worker, and the errors that it logged. */
export class Engine {
  readonly errors: unknown[] = [];
  /** Counts of situations over all runs. */
  readonly tally = new Map<string, number>();
  #api!: AdminApi;

  static async start(): Promise<Engine> {
    const engine = new Engine();
    engine.#api = await AdminApi.start({
      events: [defineEvent({ type: LOOSE_TYPE, ordering: 'none' })],
      leaseMs: TIMES.leaseMs,
      heartbeat: { silentMs: TIMES.silentMs },
      retry: { maxAttempts: 3, initialDelayMs: TIMES.retryMs, maxDelayMs: TIMES.retryMs },
      circuit: { failures: 1_000_000 },
      configure: (app) => app.useLogger(new ErrorCollector(engine.errors)),
    });
    return engine;
  }

  get kernel(): KernelApp {
    return this.#api.kernel;
  }

  get operator(): AdminClient {
    return this.#api.operator;
  }

  get em(): EntityManager {
    return this.kernel.em;
  }

  get database() {
    return engineDatabase(this.em);
  }

  get config(): EventBusConfig {
    return this.kernel.app.get(EventBusConfig);
  }

  get<T>(type: Type<T>): T {
    return this.kernel.app.get(type);
  }

  /** Removes the rest of an earlier run from all queues. */
  async clear(): Promise<void> {
    this.errors.length = 0;
    const { database } = this.kernel;
    await database.query('delete from kernel_worker');
    await database.query('delete from kernel_webhook_delivery');
    await database.query('delete from kernel_lane');
    await database.query(`update kernel_outbox_event set status = 'PUBLISHED' where status = 'PENDING'`);
  }
}

class ErrorCollector extends ConsoleLogger {
  constructor(private readonly errors: unknown[]) {
    super({ logLevels: ['fatal'] });
  }

  override error(message: unknown): void {
    this.errors.push(message);
  }
}
