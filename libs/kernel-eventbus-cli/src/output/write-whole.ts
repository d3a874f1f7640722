import { createWriteStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CliError, UsageError } from '../cli.errors.js';

/** The file appears only when complete, readable by its owner only. An existing file is kept. */
export async function writeWhole(
  parts: AsyncIterable<string>,
  { path, directory }: { path: string; directory: string },
): Promise<void> {
  const target = resolve(directory, path);
  if (await exists(target)) {
    throw new UsageError(`${path} is there already: name another file, or remove it`);
  }
  const partial = `${target}.part`;
  try {
    await pipeline(Readable.from(parts), createWriteStream(partial, { mode: 0o600 }));
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true });
    throw error instanceof CliError ? error : new UsageError(`${path} cannot be written`, { cause: error });
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
