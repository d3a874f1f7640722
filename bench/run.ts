import { parseBenchOptions, type BenchOptions } from './bench-options.ts';
import { startBench } from './harness/bench.ts';
import { printVerdicts } from './harness/print-verdicts.ts';
import { saveDrawing, saveSamples } from './harness/save-samples.ts';
import type { Sample, Verdict } from './harness/work.ts';
import { works } from './works/works.ts';

const options = readOptions();
const chosen = works.filter(({ name, isByNameOnly }) =>
  options.only.length === 0 ? !isByNameOnly : options.only.includes(name),
);
const bench = await startBench(options);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void bench.stop().finally(() => process.exit(1)));
}
const verdicts: Verdict[] = [];
const tables: string[] = [];
try {
  for (const work of chosen) {
    const rounds = work.rounds ?? options.rounds;
    await work.prepare?.(bench);
    const samples: Sample[] = [];
    for (let round = 1; round <= rounds; round++) {
      bench.log(`${work.name}, round ${round} of ${rounds}`);
      samples.push(...(await work.measure(bench, round)));
    }
    const judged = work.judge(samples);
    verdicts.push(...judged);
    await saveSamples(work, options, samples, judged);
    printVerdicts(judged);
    if (work.describe) {
      tables.push(work.describe(samples));
      console.log(`\n${tables.at(-1)}`);
    }
    if (work.draw) {
      console.log(`\nplot: ${await saveDrawing(work, options, work.draw(samples))}`);
    }
  }
} finally {
  await bench.stop();
}
console.log(`\n${chosen.length} works, ${options.rounds} rounds, scale ${options.scale}`);
printVerdicts(verdicts);
tables.forEach((table) => console.log(`\n${table}`));

function readOptions(): BenchOptions {
  try {
    return parseBenchOptions(
      process.argv.slice(2),
      works.map(({ name }) => name),
    );
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(2);
  }
}
