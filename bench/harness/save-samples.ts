import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import type { BenchOptions } from '../bench-options.ts';
import type { Sample, Verdict } from './work.ts';

/** Stores every sample beside the table. Runs too small for the table do not overwrite it. */
export async function saveSamples(
  work: string,
  { rounds, scale }: BenchOptions,
  samples: readonly Sample[],
  verdicts: readonly Verdict[],
): Promise<void> {
  const isForTable = rounds >= 3 && scale >= 1;
  const directory = new URL(isForTable ? '../results/' : '../results/quick/', import.meta.url);
  await mkdir(directory, { recursive: true });
  const machine = {
    processor: cpus()[0]?.model,
    cores: cpus().length,
    memoryBytes: totalmem(),
    kernel: release(),
    node: process.version,
  };
  const result = { work, measuredAt: new Date().toISOString(), machine, rounds, scale, verdicts, samples };
  await writeFile(new URL(`${work}.json`, directory), `${JSON.stringify(result, null, 2)}\n`);
}
