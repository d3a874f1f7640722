import { parseBenchOptions } from './bench-options.ts';
import { startBench } from './harness/bench.ts';
import { printVerdicts } from './harness/print-verdicts.ts';
import { saveSamples } from './harness/save-samples.ts';
import type { Sample, Verdict } from './harness/work.ts';
import { works } from './works/works.ts';

const options = parseBenchOptions(process.argv.slice(2));
const chosen = works.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
const bench = await startBench(options);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void bench.stop().finally(() => process.exit(1)));
}
const verdicts: Verdict[] = [];
try {
  for (const work of chosen) {
    await work.prepare?.(bench);
    const samples: Sample[] = [];
    for (let round = 1; round <= options.rounds; round++) {
      bench.log(`${work.name}, round ${round} of ${options.rounds}`);
      samples.push(...(await work.measure(bench, round)));
    }
    const judged = work.judge(samples);
    verdicts.push(...judged);
    await saveSamples(work.name, options, samples, judged);
    printVerdicts(judged);
  }
} finally {
  await bench.stop();
}
console.log(`\n${chosen.length} works, ${options.rounds} rounds, scale ${options.scale}`);
printVerdicts(verdicts);
