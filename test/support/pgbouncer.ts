import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandAs, unprivilegedUser } from '../../apps/launcher/unprivileged-user.ts';
import { freePort } from './nats-server.js';

const START_WITHIN_MS = 60_000;

const file = ['pgbouncer', '/usr/sbin/pgbouncer'].find((path) => spawnSync(path, ['--version']).status === 0);
const isRequired = process.env.CI === 'true';

/** A `describe` that is skipped, with a message, if PgBouncer is not installed; with CI=true its tests fail instead. */
export function describeWithPgBouncer(name: string, tests: () => void): void {
  if (file || isRequired) {
    describe(name, tests);
    return;
  }
  process.stderr.write(`skipped: "${name}" needs pgbouncer (Debian: apt-get install pgbouncer)\n`);
  describe.skip(name, tests);
}

/** A real PgBouncer in front of the server of the test run, in transaction mode. */
export class PgBouncer {
  private constructor(
    readonly port: number,
    private readonly directory: string,
    private readonly process: ChildProcess,
  ) {}

  /** `poolSize`: its connections to the server, per database and user. `logins`: URLs of the allowed users. */
  static async start({ poolSize, logins }: { poolSize: number; logins: string[] }): Promise<PgBouncer> {
    if (!file) {
      throw new Error('pgbouncer is not installed (Debian: apt-get install pgbouncer)');
    }
    const directory = await mkdtemp(join(tmpdir(), 'kernel-pgbouncer-'));
    const port = await freePort();
    const config = join(directory, 'pgbouncer.ini');
    const users = join(directory, 'users.txt');
    await writeFile(config, configOf(port, users, poolSize));
    await writeFile(users, logins.map((login) => userOf(login)).join(''));
    const user = await unprivilegedUser();
    if (user) {
      await Promise.all([directory, config, users].map((path) => chown(path, user.uid, user.gid)));
    }
    const command = await commandAs(user, file, [config]);
    const child = spawn(command.file, command.args, { ...command.options, stdio: ['ignore', 'ignore', 'pipe'] });
    await isUp(child);
    return new PgBouncer(port, directory, child);
  }

  /** The URL of the same database through the pooler. */
  through(url: string): string {
    return Object.assign(new URL(url), { port: String(this.port) }).href;
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const exited = once(this.process, 'exit');
      this.process.kill('SIGKILL');
      await exited;
    }
    await rm(this.directory, { recursive: true, force: true });
  }
}

function configOf(port: number, users: string, poolSize: number): string {
  const server = new URL(process.env.TEST_POSTGRES_URL!);
  return `
[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 200
`;
}

function userOf(login: string): string {
  const { username, password } = new URL(login);
  return `"${username}" "${password}"\n`;
}

async function isUp(child: ChildProcess): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`pgbouncer was not up within ${START_WITHIN_MS} ms: ${said}`)),
      START_WITHIN_MS,
    );
    child.stderr!.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-4_000);
      if (said.includes('process up')) {
        clearTimeout(timer);
        resolve();
      }
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`pgbouncer ended with ${code}: ${said}`)));
  });
}
