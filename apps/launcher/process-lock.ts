import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 100;
const PATIENCE_MS = 180_000;

/** Does the work while no other process of this machine does work under the same file. */
export async function withProcessLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await acquire(path);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

export function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    // A process of somebody else is one that lives.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function acquire(path: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += PAUSE_MS) {
    if (await create(path)) {
      return;
    }
    if (await isAbandoned(path)) {
      await clear(path);
    } else {
      await delay(PAUSE_MS);
    }
  }
  throw new Error(`another process holds ${path} for too long: end it, or remove the file`);
}

/**
 * Of those who saw a dead holder one may be late, when another has cleared the lock and taken it. So they take turns, and
 * look again when it is theirs. The turns are a lock like any other, which may be left by the dead in its turn.
 */
async function clear(path: string): Promise<void> {
  await withProcessLock(`${path}.clearing`, async () => {
    if (await isAbandoned(path)) {
      await rm(path, { force: true });
    }
  });
}

async function isAbandoned(path: string): Promise<boolean> {
  const holder = Number(await readFile(path, 'utf8').catch(() => ''));
  return holder > 0 && !isAlive(holder);
}

async function create(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      return false;
    }
    throw error;
  }
}
