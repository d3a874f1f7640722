import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MasterKey } from '@kernel/secrets';
import { SettingsError } from './settings.error.js';

export interface Keys {
  masterKey: string;
  adminToken: string;
}

/**
 * Keys missing in the environment are stored in this folder, readable by its owner only, and created on the first
 * start.
 */
export async function readKeys(given: Partial<Keys>, folder: string): Promise<Keys> {
  const masterKey = given.masterKey ?? (await readOrMake(join(folder, 'master-key'), 'base64'));
  const adminToken = given.adminToken ?? (await readOrMake(join(folder, 'admin-token'), 'base64url'));
  try {
    MasterKey.fromBase64(masterKey);
  } catch (cause) {
    throw new SettingsError([`${join(folder, 'master-key')}: ${(cause as Error).message}`], { cause });
  }
  if (!/^[\x21-\x7e]{16,512}$/.test(adminToken)) {
    throw new SettingsError([`${join(folder, 'admin-token')} is not a token: delete the file to have a new one made`]);
  }
  return { masterKey, adminToken };
}

async function readOrMake(path: string, encoding: 'base64' | 'base64url'): Promise<string> {
  const text = (await read(path)) ?? (await make(path, randomBytes(32).toString(encoding)));
  return text.trim();
}

/** Written in full, then linked into place: of processes that start together one creates it and the others read it. */
async function make(path: string, text: string): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, `${text}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, path);
    return text;
  } catch (error) {
    const others = await read(path);
    if (others === undefined) {
      throw error;
    }
    return others;
  } finally {
    await rm(draft, { force: true });
  }
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
