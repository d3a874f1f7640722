import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../apps/launcher/embedded-postgres.ts';
import { pgCtl } from './own-postgres.js';

const run = promisify(execFile);

export interface PostgresPair {
  primaryUrl: string;
  /** Refuses writes until it is promoted. */
  standbyUrl: string;
  /** From now on each commit waits for the standby. */
  replicateSynchronously(): Promise<void>;
  /** Like the loss of its machine. */
  stopPrimary(): Promise<void>;
  promoteStandby(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A primary with a streaming standby. The standby starts as a copy of the primary's files, so no other tool is needed.
 */
export async function startPostgresPair(): Promise<PostgresPair> {
  const directory = await mkdtemp(join(tmpdir(), 'kernel-crash-pair-'));
  await run('chmod', ['755', directory]);
  const [first, second] = [join(directory, 'first'), join(directory, 'second')];
  const settings = { hot_standby: 'on', wal_level: 'replica' };
  await (await startEmbeddedPostgres({ directory: first, settings })).stop();
  await mkdir(second);
  await cp(join(first, 'password'), join(second, 'password'));
  // Keeps owners and modes, which the server requires.
  await run('cp', ['-a', join(first, 'data'), join(second, 'data')]);
  const primary = await startEmbeddedPostgres({ directory: first, settings });
  const { port, username } = new URL(primary.url);
  const password = await readFile(join(first, 'password'), 'utf8');
  const conninfo = `host=127.0.0.1 port=${port} user=${username} password=${password} application_name=standby`;
  await appendFile(join(second, 'data', 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  await writeFile(join(second, 'data', 'standby.signal'), '');
  const standby = await startEmbeddedPostgres({ directory: second, settings });
  const onPrimary = async (sql: string) => {
    const client = new pg.Client({ connectionString: primary.url });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  return {
    primaryUrl: primary.url,
    standbyUrl: standby.url,
    replicateSynchronously: async () => {
      await onPrimary(`alter system set synchronous_standby_names = 'standby'`);
      await onPrimary('select pg_reload_conf()');
    },
    stopPrimary: () => pgCtl(['-D', join(first, 'data'), '-w', '-t', '60', '-m', 'immediate', 'stop']),
    promoteStandby: () => pgCtl(['-D', join(second, 'data'), '-w', '-t', '60', 'promote']),
    stop: async () => {
      await standby.stop();
      await primary.stop().catch(() => undefined);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
