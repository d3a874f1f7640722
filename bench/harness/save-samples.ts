import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { BenchOptions } from '../bench-options.ts';
import type { Sample, Verdict, Work } from './work.ts';

const RESULTS = new URL('../results/', import.meta.url);
const QUICK_RESULTS = new URL('../results/quick/', import.meta.url);
const IMAGES = new URL('../../docs/images/', import.meta.url);

/** Stores every sample beside the table. Runs too small for the table do not overwrite it. */
export async function saveSamples(
  work: Work,
  options: BenchOptions,
  samples: readonly Sample[],
  verdicts: readonly Verdict[],
): Promise<void> {
  const machine = {
    processor: cpus()[0]?.model,
    cores: cpus().length,
    memoryBytes: totalmem(),
    kernel: release(),
    node: process.version,
  };
  const rounds = work.rounds ?? options.rounds;
  const measuredAt = new Date().toISOString();
  const result = { work: work.name, measuredAt, machine, rounds, scale: options.scale, verdicts, samples };
  const directory = isForTable(work, options) ? RESULTS : QUICK_RESULTS;
  await save(directory, `${work.name}.json`, `${JSON.stringify(result, null, 2)}\n`);
}

/** Returns the file's path. */
export function saveDrawing(work: Work, options: BenchOptions, svg: string): Promise<string> {
  return save(isForTable(work, options) ? IMAGES : QUICK_RESULTS, `bench-${work.name}.svg`, svg);
}

function isForTable({ rounds }: Work, options: BenchOptions): boolean {
  return (rounds !== undefined || options.rounds >= 3) && options.scale >= 1;
}

async function save(directory: URL, name: string, text: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const file = new URL(name, directory);
  await writeFile(file, text);
  return fileURLToPath(file);
}
