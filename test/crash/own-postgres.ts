import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '../../apps/launcher/embedded-postgres.ts';
import { commandAs, unprivilegedUser } from '../../apps/launcher/unprivileged-user.ts';

const run = promisify(execFile);

export interface OwnPostgres {
  url: string;
  /** Like a power cut: no goodbye to clients, no flush, the log is replayed. */
  restartImmediately(): Promise<void>;
  stop(): Promise<void>;
}

/** A server for one test alone, so it may be treated badly. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'kernel-crash-postgres-'));
  const postgres = await startEmbeddedPostgres({ directory });
  const data = join(directory, 'data');
  return {
    url: postgres.url,
    restartImmediately: () =>
      pgCtl(['-D', data, '-l', join(data, 'server.log'), '-w', '-t', '120', '-m', 'immediate', 'restart']),
    stop: async () => {
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export async function pgCtl(args: string[]): Promise<void> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const { pg_ctl } = (await import(name)) as { pg_ctl: string };
  const command = await commandAs(await unprivilegedUser(), pg_ctl, args);
  await run(command.file, command.args, { ...command.options, cwd: '/' });
}
