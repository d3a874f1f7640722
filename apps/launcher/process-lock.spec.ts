import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, withProcessLock } from './process-lock.ts';

const NO_SUCH_PROCESS = 2 ** 22 + 1;

describe('withProcessLock', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kernel-lock-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('lets one work at a time', async () => {
    let working = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++working);
      await stat(folder);
      working--;
    };
    await Promise.all(Array.from({ length: 5 }, () => withProcessLock(join(folder, 'lock'), work)));
    expect(most).toBe(1);
  });

  it('is given back when the work fails', async () => {
    const path = join(folder, 'lock');
    await expect(withProcessLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withProcessLock(path, async () => 'done')).toBe('done');
  });

  it('is taken over from a process that is gone', async () => {
    await writeFile(join(folder, 'lock'), String(NO_SUCH_PROCESS));
    expect(await withProcessLock(join(folder, 'lock'), async () => 'done')).toBe('done');
  });

  it('is taken over by one at a time, however many find the holder gone', async () => {
    const takeOver = async (path: string) => {
      await writeFile(path, String(NO_SUCH_PROCESS));
      let working = 0;
      let most = 0;
      const work = async () => {
        most = Math.max(most, ++working);
        await delay(20);
        working--;
      };
      // Each is a few steps behind the previous one, so one removes the file it has read after another has moved on.
      const follow = async (steps: number) => {
        for (let step = 0; step < steps; step++) {
          await stat(folder);
        }
        await withProcessLock(path, work);
      };
      await Promise.all([0, 1, 2, 3, 4].map(follow));
      return most;
    };
    const locks = Array.from({ length: 20 }, (_, index) => join(folder, `lock-${index}`));
    expect(Math.max(...(await Promise.all(locks.map(takeOver))))).toBe(1);
  });

  it('is taken over although one died while taking it over', async () => {
    await writeFile(join(folder, 'lock'), String(NO_SUCH_PROCESS));
    await writeFile(join(folder, 'lock.clearing'), String(NO_SUCH_PROCESS));
    expect(await withProcessLock(join(folder, 'lock'), async () => 'done')).toBe('done');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('isAlive', () => {
  it('tells the living from the gone', () => {
    expect([process.pid, process.ppid].map(isAlive)).toEqual([true, true]);
    expect([NO_SUCH_PROCESS, 0, NaN].map(isAlive)).toEqual([false, false, false]);
  });
});
