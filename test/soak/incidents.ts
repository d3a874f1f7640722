import { setTimeout as delay } from 'node:timers/promises';
import type { Behaviour } from '@kernel/test-support/recording-receiver';
import { drip, hang, pour, reset } from '@kernel/test-support/bad-behaviours';
import type { CrashRun } from '../crash/crash-run.js';
import type { DatabaseProxy } from '@kernel/test-support/database-proxy';
import type { Program } from '../crash/program.js';
import type { SeededRandom } from '../crash/programs/seeded-random.js';
import type { KernelSetup } from '../crash/programs/start-kernel.js';

const WORKERS = 3;
/** Pause between two incidents of one cause. */
const PAUSE_MS = [1_000, 8_000] as const;
const FREEZE_MS = [500, 12_000] as const;
const DATABASE_AWAY_MS = [500, 12_000] as const;
const BAD_RECEIVER_MS = [500, 10_000] as const;
/** The time a server's keepalives need to notice. */
const SILENT_MS = 60_000;
/** Pause between two starts of a worker. */
const RESTART_MS = 500;
const LOAD = { clients: 4, eventsPerTransaction: 5, pauseMs: 400, streams: 200 };

const refuse: Behaviour = (response) => response.writeHead(500).end();
const stall: Behaviour = (response) => setTimeout(() => response.writeHead(204).end(), 1_000);
const BEHAVIOURS = [hang, reset, drip, pour, refuse, stall];

type Incident = () => Promise<void> | void;

/** Faults from three independent causes at once: processes, the network to the database, receivers. */
export class Incidents {
  #workers: Program<KernelSetup>[] = [];
  readonly #counts: Record<string, number> = {};

  constructor(
    private readonly run: CrashRun,
    private readonly proxy: DatabaseProxy,
    private readonly random: SeededRandom,
  ) {}

  async startWorkers(): Promise<void> {
    this.#workers = await Promise.all(Array.from({ length: WORKERS }, () => this.newWorker()));
  }

  /** Incidents for `forMs` beside a publisher; then everything heals and the publisher ends. */
  async happen(seed: number, forMs: number): Promise<void> {
    this.run.databaseUrl = this.run.database.appUrl;
    const publisher = await this.run.startPublisher({ ...LOAD, seed });
    const end = AbortSignal.timeout(Math.ceil(forMs));
    await Promise.all([
      this.repeat([() => this.kill(), () => this.restart(), () => this.freeze()], end),
      this.repeat([() => this.cutConnections(), () => this.silenceConnections(), () => this.databaseAway()], end),
      this.repeat([() => this.badReceiver()], end),
    ]);
    this.run.receiver.heal();
    this.proxy.cutSilent();
    expect(await publisher.terminate()).toEqual({ code: 0, signal: null });
  }

  toString(): string {
    return Object.entries(this.#counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  }

  private async repeat(incidents: Incident[], end: AbortSignal): Promise<void> {
    while (!end.aborted) {
      await delay(this.random.between(...PAUSE_MS));
      await this.random.pick(incidents)();
    }
  }

  private async kill(): Promise<void> {
    this.count('kills');
    const victim = this.takeWorker();
    expect(await victim.kill()).toEqual({ code: null, signal: 'SIGKILL' });
    this.#workers.push(await this.newWorker());
  }

  private async restart(): Promise<void> {
    this.count('restarts');
    const [heir] = await Promise.all([this.newWorker(), this.end(this.takeWorker())]);
    this.#workers.push(heir);
  }

  private async freeze(): Promise<void> {
    this.count('freezes');
    const worker = this.random.pick(this.#workers);
    worker.freeze();
    await delay(this.random.between(...FREEZE_MS));
    worker.thaw();
  }

  private cutConnections(): void {
    this.count('cuts of all connections');
    this.proxy.cut();
  }

  private silenceConnections(): void {
    this.count('silences of all connections');
    this.proxy.silenceOpenConnections();
    setTimeout(() => this.proxy.cutSilent(), SILENT_MS).unref();
  }

  private async databaseAway(): Promise<void> {
    this.count('outages of the database');
    this.proxy.goAway();
    await delay(this.random.between(...DATABASE_AWAY_MS));
    this.proxy.comeBack();
  }

  private async badReceiver(): Promise<void> {
    this.count('bad receivers');
    const { name } = this.random.pick(this.run.endpoints);
    this.run.receiver.behave(name, this.random.pick(BEHAVIOURS));
    await delay(this.random.between(...BAD_RECEIVER_MS));
    this.run.receiver.heal();
  }

  private takeWorker(): Program<KernelSetup> {
    const worker = this.random.pick(this.#workers);
    this.#workers.splice(this.#workers.indexOf(worker), 1);
    return worker;
  }

  private async end(worker: Program<KernelSetup>): Promise<void> {
    const ending = await worker.terminate();
    expect({ ...ending, lines: worker.lastLines }).toMatchObject({ code: 0 });
  }

  /** A worker that cannot start while the database is unavailable is restarted, as an orchestrator does. */
  private async newWorker(): Promise<Program<KernelSetup>> {
    for (;;) {
      this.run.databaseUrl = this.proxy.urlOf(this.run.database.appUrl);
      const worker = await this.run.beginWork(this.run.spare());
      if (worker.isAlive) {
        return worker;
      }
      this.count('failed starts');
      await worker.ends();
      await delay(RESTART_MS);
    }
  }

  private count(name: string): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + 1;
  }
}
