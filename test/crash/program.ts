import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export type ProgramName =
  | 'worker'
  | 'publisher'
  | 'balance-worker'
  | 'nats-engine'
  | 'nats-sender'
  | 'inbox-consumer'
  | 'tenants-service'
  | 'tenants-projection';

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Application name by which PostgreSQL tells the programs' connections from those of the test. */
export const APPLICATION_NAME = 'crash-program';

const KEPT_LINES = 5_000;
const LAST_LINES = 30;
const END_WITHIN_MS = 90_000;
const KERNEL_SOURCES = new URL('./programs/kernel-sources.ts', import.meta.url).href;

/** A separate process. It loads at once and works when it is told to begin, so a spare one is ready immediately. */
export class Program<Setup> {
  readonly ended: Promise<Ending>;
  readonly loaded: Promise<void>;
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  #isMeantToEnd = false;

  constructor(readonly name: ProgramName) {
    const file = fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url));
    this.#child = fork(file, {
      execArgv: ['--import', KERNEL_SOURCES],
      env: {
        ...process.env,
        PGAPPNAME: APPLICATION_NAME,
        NODE_COMPILE_CACHE: join(tmpdir(), 'kernel-crash-compile-cache'),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child.stdout!.on('data', (chunk: Buffer) => this.keep(chunk));
    this.#child.stderr!.on('data', (chunk: Buffer) => this.keep(chunk));
    this.loaded = once(this.#child, 'message').then(() => undefined);
    this.ended = once(this.#child, 'exit').then(([code, signal]) => ({ code, signal }));
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves when the program is at work, or dead. */
  async begin(setup: Setup): Promise<void> {
    await Promise.race([this.loaded, this.ended]);
    this.#child.send(setup as object);
    await Promise.race([once(this.#child, 'message'), this.ended]);
  }

  /** For a program that was told to kill itself, or whose work ends. */
  async ends(): Promise<Ending> {
    this.#isMeantToEnd = true;
    const patience = new AbortController();
    const tooLong = delay(END_WITHIN_MS, undefined, { signal: patience.signal }).then(() => {
      throw new Error(`${this.describe()} did not end within ${END_WITHIN_MS} ms:\n${this.lastLines}`);
    });
    tooLong.catch(() => undefined);
    return Promise.race([this.ended, tooLong]).finally(() => patience.abort());
  }

  kill(): Promise<Ending> {
    this.#child.kill('SIGKILL');
    return this.ends();
  }

  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  terminate(): Promise<Ending> {
    this.#child.kill('SIGTERM');
    return this.ends();
  }

  /** The fault of the program, if any: it ended although it was not told to. */
  fault(): string | undefined {
    return this.isAlive || this.#isMeantToEnd ? undefined : `${this.describe()} ended by itself:\n${this.lastLines}`;
  }

  /** The last lines of its log. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  get lastLines(): string {
    return this.#lines.slice(-LAST_LINES).join('\n');
  }

  private describe(): string {
    return `${this.name} ${this.#child.pid} (code ${this.#child.exitCode}, signal ${this.#child.signalCode})`;
  }

  private keep(chunk: Buffer): void {
    this.#lines.push(...chunk.toString('utf8').trimEnd().split('\n'));
    this.#lines.splice(0, this.#lines.length - KEPT_LINES);
  }
}
