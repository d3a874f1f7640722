import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../cli.errors.js';

export const DEFAULT_URL = 'http://127.0.0.1:3000';
/** Token file created by the demo. */
export const DEFAULT_TOKEN_FILE = join('.data', 'admin-token');

export interface ConnectionOptions {
  url?: string;
  tokenFile?: string;
}

interface Place {
  env: Record<string, string | undefined>;
  directory: string;
}

export function readUrl({ url }: ConnectionOptions, { env }: Place): URL {
  const [text, source] = url !== undefined ? [url, '--url'] : [env.EVENTBUS_URL || DEFAULT_URL, 'EVENTBUS_URL'];
  const parsed = URL.parse(text);
  const isFit = parsed && /^https?:$/.test(parsed.protocol) && !parsed.username && !parsed.password;
  if (!isFit) {
    throw new UsageError(`${source} must be an http or https address without user and password`);
  }
  return parsed;
}

/** No option takes the token itself: command lines are visible to others and kept in histories. */
export function readToken({ tokenFile }: ConnectionOptions, { env, directory }: Place): string {
  const token = tokenFile !== undefined ? readNamed(resolve(directory, tokenFile)) : readDefault(env, directory);
  // Checked here, because the error of fetch would show an invalid header value.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new UsageError('the token is empty or has characters that no token has');
  }
  return token;
}

function readDefault(env: Place['env'], directory: string): string {
  if (env.EVENTBUS_ADMIN_TOKEN) {
    return env.EVENTBUS_ADMIN_TOKEN.trim();
  }
  try {
    return readFileSync(join(directory, DEFAULT_TOKEN_FILE), 'utf8').trim();
  } catch {
    throw new UsageError(
      `no token: set EVENTBUS_ADMIN_TOKEN, or name a file by --token-file (there is no ${DEFAULT_TOKEN_FILE} to read here)`,
    );
  }
}

function readNamed(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`--token-file ${path} cannot be read`, { cause: error });
  }
}
