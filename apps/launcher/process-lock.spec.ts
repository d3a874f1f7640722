import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
});

describe('isAlive', () => {
  it('tells the living from the gone', () => {
    expect([process.pid, process.ppid].map(isAlive)).toEqual([true, true]);
    expect([NO_SUCH_PROCESS, 0, NaN].map(isAlive)).toEqual([false, false, false]);
  });
});
