import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readKeys } from './key-files.js';

describe('readKeys', () => {
  let folder: string;
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'kernel-keys-')), '.data');
  });
  afterEach(() => rm(join(folder, '..'), { recursive: true }));

  it('makes on the first start, for its owner only, what it finds at the next', async () => {
    const keys = await readKeys({}, folder);
    expect(Buffer.from(keys.masterKey, 'base64')).toHaveLength(32);
    expect(keys.adminToken).toMatch(/^[\w-]{43}$/);
    for (const name of ['admin-token', 'master-key']) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    }
    expect(await readKeys({}, folder)).toEqual(keys);
  });

  it('agrees with processes that start at the same moment', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => readKeys({}, folder)));
    expect(new Set(keys.map((pair) => JSON.stringify(pair))).size).toBe(1);
    expect((await readdir(folder)).sort()).toEqual(['admin-token', 'master-key']);
  });

  it('makes nothing where the environment gives both', async () => {
    const given = { masterKey: Buffer.alloc(32).toString('base64'), adminToken: 'given-by-the-operator' };
    expect(await readKeys(given, folder)).toEqual(given);
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each([
    ['master-key', 'c2hvcnQ='],
    ['admin-token', 'short'],
  ])('names the file when %s is damaged, and not what is in it', async (name, text) => {
    await readKeys({}, folder);
    await writeFile(join(folder, name), text);
    await expect(readKeys({}, folder)).rejects.toMatchObject({
      code: 'SETTINGS_INVALID',
      message: expect.stringContaining(name),
    });
    await expect(readKeys({}, folder)).rejects.not.toMatchObject({ message: expect.stringContaining(text) });
  });
});
