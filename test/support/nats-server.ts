import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const START_WITHIN_MS = 60_000;

const isInstalled = spawnSync('nats-server', ['--version']).status === 0;
const isRequired = process.env.CI === 'true';

/** A `describe` that is skipped, with a message, if NATS is not installed; with CI=true its tests fail instead. */
export function describeWithNats(name: string, tests: () => void): void {
  if (isInstalled || isRequired) {
    describe(name, tests);
    return;
  }
  process.stderr.write(`skipped: "${name}" needs nats-server (Debian: apt-get install nats-server)\n`);
  describe.skip(name, tests);
}

/** A real broker with JetStream, with its own port and directory, both of which survive its death. */
export class NatsServer {
  readonly url: string;
  #process: ChildProcess | undefined;

  private constructor(
    private readonly port: number,
    private readonly directory: string,
  ) {
    this.url = `nats://127.0.0.1:${port}`;
  }

  /** `settings` go into its configuration file, e.g. `authorization { token: "t" }`. */
  static async start(settings = ''): Promise<NatsServer> {
    const server = new NatsServer(await freePort(), await mkdtemp(join(tmpdir(), 'kernel-nats-')));
    const jetstream = `jetstream { store_dir: ${JSON.stringify(server.directory)} }`;
    await writeFile(server.configFile, `listen: "127.0.0.1:${server.port}"\n${jetstream}\n${settings}\n`);
    await server.start();
    return server;
  }

  /** Starts it again after `kill`. */
  async start(): Promise<void> {
    const child = spawn('nats-server', ['--config', this.configFile], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#process = child;
    let said = '';
    const isReady = new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString('utf8')).slice(-4_000);
        if (said.includes('Server is ready')) {
          resolve();
        }
      });
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`nats-server ended with ${code}: ${said}`)));
    });
    const patience = new AbortController();
    const tooLong = delay(START_WITHIN_MS, undefined, { signal: patience.signal }).then(() => {
      throw new Error(`nats-server was not ready within ${START_WITHIN_MS} ms: ${said}`);
    });
    tooLong.catch(() => undefined);
    await Promise.race([isReady, tooLong]).finally(() => patience.abort());
  }

  /** Ends it without a graceful shutdown. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
  }

  /** Call it after `kill`: simulates the loss of its disk. */
  async forget(): Promise<void> {
    await rm(join(this.directory, 'jetstream'), { recursive: true, force: true });
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }

  private get configFile(): string {
    return join(this.directory, 'server.conf');
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
