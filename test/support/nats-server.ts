import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@kernel/eventbus/testing';

const isInstalled = spawnSync('nats-server', ['--version']).status === 0;
const isRequired = process.env.CI === 'true';

/** A `describe` that is skipped, and says so, where NATS is not installed; with CI=true its tests fail instead. */
export function describeWithNats(name: string, tests: () => void): void {
  if (isInstalled || isRequired) {
    describe(name, tests);
    return;
  }
  process.stderr.write(`skipped: "${name}" needs nats-server (Debian: apt-get install nats-server)\n`);
  describe.skip(name, tests);
}

/** A broker with JetStream, on a port of its own; what it stores outlives a kill and goes with `stop`. */
export class NatsServer {
  #process: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    readonly directory: string,
  ) {}

  static async start(): Promise<NatsServer> {
    const server = new NatsServer(await freePort(), await mkdtemp(join(tmpdir(), 'kernel-nats-')));
    await server.resume();
    return server;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  /** Starts it again where it was. */
  async resume(): Promise<void> {
    const args = ['-js', '-a', '127.0.0.1', '-p', String(this.port), '-sd', this.directory];
    const child = spawn('nats-server', args, { stdio: 'ignore' });
    this.#process = child;
    child.once('error', () => undefined);
    await waitFor(() => canConnect(this.port), 'nats-server to listen');
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
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

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
