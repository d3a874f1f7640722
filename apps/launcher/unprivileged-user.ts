import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface OsUser {
  name: string;
  uid: number;
  gid: number;
}

export interface OsCommand {
  file: string;
  args: string[];
  options: { uid?: number; gid?: number };
}

/** PostgreSQL refuses to run as root; a root process runs it under an existing account. */
export async function unprivilegedUser(): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]).catch(() => undefined);
    if (ids) {
      const [uid, gid] = ids.map((id) => Number(id.stdout));
      return { name, uid: uid!, gid: gid! };
    }
  }
  throw new Error('PostgreSQL refuses to run as root and there is no user postgres or nobody: set DATABASE_URL');
}

/**
 * A project under a folder that only root may enter (/root, a mktemp folder) is out of the account's reach. `setpriv`
 * keeps the one capability that bypasses folder permissions; `no_setuid_fixup` is for access(2), which drops it
 * otherwise.
 */
export async function commandAs(user: OsUser | undefined, file: string, args: string[]): Promise<OsCommand> {
  if (!user) {
    return { file, args, options: {} };
  }
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
  if (!setpriv) {
    return { file, args, options: { uid: user.uid, gid: user.gid } };
  }
  const capabilities = '+dac_override,+dac_read_search';
  return {
    file: setpriv,
    args: [
      `--reuid=${user.uid}`,
      `--regid=${user.gid}`,
      '--clear-groups',
      '--securebits=+no_setuid_fixup',
      `--inh-caps=${capabilities}`,
      `--ambient-caps=${capabilities}`,
      '--',
      file,
      ...args,
    ],
    options: {},
  };
}
