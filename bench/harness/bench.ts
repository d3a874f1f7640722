import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../apps/launcher/embedded-postgres.ts';
import type { BenchOptions } from '../bench-options.ts';
import { statementSettings } from '../profile/statement-statistics.ts';
import type { sink as sinkMethods } from '../sink/sink.ts';
import { Databases } from './databases.ts';
import { startChild, type Child } from './start-child.ts';

/** The resources of every work: one server, one sink, and the scale. */
export interface Bench {
  databases: Databases;
  sink: Child<typeof sinkMethods>;
  sinkUrl: string;
  isProfiled: boolean;
  /** A count or duration in proportion to `--scale`, a whole number from 1. */
  scaled(amount: number): number;
  log(line: string): void;
  stop(): Promise<void>;
}

export async function startBench({ scale, isProfiled }: BenchOptions): Promise<Bench> {
  const directory = await mkdtemp(join(tmpdir(), 'kernel-bench-'));
  // fsync and synchronous_commit stay on for all contestants; only our routing turns the latter off for itself. The
  // larger WAL keeps checkpoints out of the rounds.
  const postgres = await startEmbeddedPostgres({
    directory,
    settings: {
      shared_buffers: '1GB',
      max_wal_size: '8GB',
      checkpoint_timeout: '30min',
      ...statementSettings,
    },
  });
  const sink = startChild<typeof sinkMethods>(new URL('../sink/sink.ts', import.meta.url));
  const sinkUrl = `${await sink.call('listen')}/webhooks`;
  return {
    databases: new Databases(postgres.url),
    sink,
    sinkUrl,
    isProfiled,
    scaled: (amount) => Math.max(1, Math.round(amount * scale)),
    log: (line) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`),
    stop: async () => {
      await sink.stop();
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
