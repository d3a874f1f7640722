import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventBusOptions } from '@kernel/eventbus';
import type { Stage } from '@kernel/eventbus/engine';
import { startKernelApp, TEST_MASTER_KEY } from '@kernel/test-support/kernel-app';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { Program, type Ending } from './program.js';
import { JOURNAL_TABLES } from './programs/journal.sql.js';
import type { BalanceSetup } from './programs/balance-worker.js';
import type { KillPoint } from './programs/killing-hooks.js';
import type { Load } from './programs/publish-load.js';
import type { PublisherSetup } from './programs/publisher.js';
import type { KernelSetup } from './programs/start-kernel.js';
import { RecordingReceiver } from '@kernel/test-support/recording-receiver';

/** Timeout of a test of this suite: far above the need of two slow cores. */
export const PATIENCE_MS = 240_000;

export const PLACED = 'order.placed.v1';
export const PAID = 'order.paid.v1';

export interface CrashEndpoint {
  name: string;
  tenantId: string;
  types: string[];
  ordering: 'none' | 'stream';
  endpointId: string;
  secret: string;
}

type NewCrashEndpoint = Omit<CrashEndpoint, 'endpointId' | 'secret' | 'ordering'> & Partial<CrashEndpoint>;

/** Notices a death fast and gives up late: no delivery of these runs may end in the DLQ. */
const OPTIONS: EventBusOptions = {
  masterKey: TEST_MASTER_KEY,
  allowHttp: true,
  allowedCidrs: ['127.0.0.0/8'],
  concurrency: 16,
  timeoutMs: 2_000,
  leaseMs: 6_000,
  heartbeat: { intervalMs: 200, silentMs: 3_000 },
  polling: { minIntervalMs: 50, maxIntervalMs: 300 },
  retry: { maxAttempts: 100, initialDelayMs: 50, maxDelayMs: 500 },
  circuit: { probeMs: 200, maxProbeMs: 1_000 },
};

/** A database, the receiver, two tenants with endpoints, and the programs that work for them. */
export class CrashRun {
  readonly tenantIds = [randomUUID(), randomUUID()] as const;
  readonly endpoints: CrashEndpoint[] = [];
  readonly programs: Program<never>[] = [];
  /** The programs' connection to the database; a test may put a proxy in between. */
  databaseUrl: string;

  private constructor(
    readonly database: TestDatabase,
    readonly receiver: RecordingReceiver,
    readonly directory: string,
  ) {
    this.databaseUrl = database.appUrl;
  }

  static async start(endpoints?: (tenantIds: CrashRun['tenantIds']) => NewCrashEndpoint[]): Promise<CrashRun> {
    const database = await createTestDatabase();
    const directory = await mkdtemp(join(tmpdir(), 'kernel-crash-'));
    const run = new CrashRun(database, await RecordingReceiver.start(), directory);
    await database.query(JOURNAL_TABLES);
    await run.addEndpoints((endpoints ?? usualEndpoints)(run.tenantIds));
    return run;
  }

  /** A worker that has loaded and waits; `beginWork` starts its work. */
  spare(): Program<KernelSetup> {
    return this.track(new Program<KernelSetup>('worker'));
  }

  async beginWork(worker: Program<KernelSetup>, options: Partial<EventBusOptions> = {}, killPoint?: KillPoint) {
    await worker.begin(this.setup({ role: 'worker', ...options }, killPoint));
    return worker;
  }

  /** A worker with a handler that keeps a balance. */
  spareBalanceWorker(): Program<BalanceSetup> {
    return this.track(new Program<BalanceSetup>('balance-worker'));
  }

  async beginBalances(worker: Program<BalanceSetup>, { deathInHandler, killPoint }: Partial<BalanceSetup> = {}) {
    await worker.begin({ ...this.setup({ role: 'worker' }, killPoint), deathInHandler });
  }

  async startWorker(options?: Partial<EventBusOptions>): Promise<Program<KernelSetup>> {
    return this.beginWork(this.spare(), options);
  }

  async startPublisher(load: Partial<Load> = {}, killPoint?: KillPoint): Promise<Program<PublisherSetup>> {
    const publisher = this.track(new Program<PublisherSetup>('publisher'));
    await publisher.begin({
      ...this.setup({ role: 'api' }, killPoint),
      load: {
        seed: 1,
        tenantIds: [...this.tenantIds],
        types: [PLACED, PAID],
        streams: 20,
        clients: 4,
        eventsPerTransaction: 5,
        pauseMs: 10,
        ...load,
      },
    });
    return publisher;
  }

  killPoint(stage: Stage, after: number): KillPoint {
    return { stage, after, markerFile: join(this.directory, `reached-${stage}`) };
  }

  /** Ends all running programs; each must stop by itself, with code 0. */
  async close(): Promise<void> {
    const endings = await Promise.all(this.programs.filter(({ isAlive }) => isAlive).map(endOf));
    await this.receiver.stop();
    await this.database.drop();
    await rm(this.directory, { recursive: true, force: true });
    expect(endings.filter(({ code }) => code !== 0)).toEqual([]);
  }

  /** The setup of a program with the kernel. */
  setup(options: Partial<EventBusOptions>, killPoint?: KillPoint): KernelSetup {
    return { databaseUrl: this.databaseUrl, options: { ...OPTIONS, ...options }, killPoint };
  }

  /** Registers a program of a suite, to be ended with the others. */
  track<P extends Program<never>>(program: P): P {
    this.programs.push(program);
    return program;
  }

  private async addEndpoints(endpoints: NewCrashEndpoint[]): Promise<void> {
    const kernel = await startKernelApp({ role: 'api', database: this.database });
    for (const endpoint of endpoints) {
      const added = await kernel.addEndpoint({ ...endpoint, url: this.receiver.urlOf(endpoint.name) });
      this.endpoints.push({ ordering: 'none', ...endpoint, ...added });
    }
    await kernel.close();
  }
}

/**
 * Both tenants, with and without ordering, with and without a filter, and one subscribed to a type that is never
 * published.
 */
function usualEndpoints([one, other]: CrashRun['tenantIds']): NewCrashEndpoint[] {
  return [
    { name: 'everything', tenantId: one, types: [PLACED, PAID] },
    { name: 'ordered', tenantId: one, types: [PAID], ordering: 'stream' },
    { name: 'other-tenant', tenantId: other, types: [PLACED, PAID], ordering: 'stream' },
    { name: 'uninterested', tenantId: other, types: ['order.lost.v1'] },
  ];
}

/** A program that does not stop is reported, then killed. */
async function endOf(program: Program<never>): Promise<Ending & { lastLines?: string }> {
  const ending = await program.terminate().catch(() => program.kill());
  return ending.code === 0 ? ending : { ...ending, lastLines: program.lastLines };
}
