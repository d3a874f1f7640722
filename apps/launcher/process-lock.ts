import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 100;
const PATIENCE_MS = 180_000;

/** Runs the work while no other process of this machine holds the same lock file. */
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
    // EPERM: the process exists and belongs to another user.
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
 * A process that saw a dead holder may be late: another may have cleared the lock and taken it. So they take turns
 * under a second lock, and check again inside it. That lock may be left by a dead process too, and is cleared the same
 * way.
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
