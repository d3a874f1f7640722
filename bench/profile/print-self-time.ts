import { readFile } from 'node:fs/promises';

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

const SHOWN = 45;

/** `node bench/profile/print-self-time.ts bench/profile/cpu/*.cpuprofile`: self time per function, highest first. */
for (const file of process.argv.slice(2)) {
  const profile = JSON.parse(await readFile(file, 'utf8')) as CpuProfile;
  const totalMs = profile.timeDeltas.reduce((sum, delta) => sum + delta, 0) / 1000;
  console.log(`\n${file}: ${Math.round(totalMs)} ms`);
  for (const [place, ms] of [...selfTimes(profile)].sort(([, a], [, b]) => b - a).slice(0, SHOWN)) {
    console.log(`${((100 * ms) / totalMs).toFixed(1).padStart(5)} %  ${ms.toFixed(0).padStart(6)} ms  ${place}`);
  }
}

function selfTimes({ nodes, samples, timeDeltas }: CpuProfile): Map<string, number> {
  const places = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => {
      const file = url.replace(/^.*\/node_modules\//, '').replace(/^.*\/libs\//, '');
      return [id, `${functionName || '(anonymous)'} ${file}${file ? `:${lineNumber + 1}` : ''}`];
    }),
  );
  const times = new Map<string, number>();
  samples.forEach((id, index) => {
    const place = places.get(id)!;
    times.set(place, (times.get(place) ?? 0) + timeDeltas[index]! / 1000);
  });
  return times;
}
