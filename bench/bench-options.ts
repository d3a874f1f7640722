import { parseArgs } from 'node:util';

export interface BenchOptions {
  /** Names of works; empty means all that do not run by name only. */
  only: string[];
  rounds: number;
  /** Multiplies every count and duration; values below 1 are for trying things out, not for the table. */
  scale: number;
  /** Writes a CPU profile of our worker for every drain. */
  isProfiled: boolean;
}

export function parseBenchOptions(args: string[], workNames: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string', default: '3' },
      scale: { type: 'string', default: '1' },
      profile: { type: 'boolean', default: false },
    },
  });
  const options = {
    only: values.only.flatMap((names) => names.split(',')),
    rounds: Number(values.rounds),
    scale: Number(values.scale),
    isProfiled: values.profile,
  };
  const unknown = options.only.filter((name) => !workNames.includes(name));
  if (unknown.length > 0) {
    throw new Error(`--only ${unknown.join(',')}: no such work, choose from ${workNames.join(', ')}`);
  }
  if (!Number.isInteger(options.rounds) || options.rounds < 1 || !(options.scale > 0)) {
    throw new Error('--rounds has to be a whole number from 1, --scale a number above 0');
  }
  return options;
}
