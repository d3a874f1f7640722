import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { StartFailure } from './describe-start-failure.ts';
import type { Stoppable } from './stop-all.ts';

/** The broker of `NATS_URL`, or one started here that stores its messages in the folder. */
export async function provideNats(started: Stoppable[], directory: string): Promise<string> {
  const given = process.env.NATS_URL;
  if (given) {
    return given;
  }
  if (spawnSync('nats-server', ['--version']).status !== 0) {
    throw new StartFailure(
      'there is no NATS: set NATS_URL to one with JetStream (docker compose up nats), or install nats-server (Debian: ' +
        'apt-get install nats-server)',
    );
  }
  await mkdir(directory, { recursive: true });
  const port = await freePort();
  const args = ['--jetstream', '--addr', '127.0.0.1', '--port', String(port), '--store_dir', directory];
  // Detached from the terminal's Ctrl-C: it stops last.
  const child = spawn('nats-server', args, { detached: true, stdio: 'ignore' });
  const ended = once(child, 'exit');
  started.push({
    name: 'nats-server',
    isOutliving: true,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  });
  return `nats://127.0.0.1:${port}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
