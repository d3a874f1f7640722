import { createInterface } from 'node:readline/promises';

/** Input and output of the command line; tests provide their own. */
export interface Terminal {
  env: Record<string, string | undefined>;
  directory: string;
  /** For results, so they can be piped. */
  out(text: string): void | Promise<void>;
  /** For progress, hints and errors. */
  err(text: string): void;
  /** True if `err` is a terminal. */
  isWatched: boolean;
  /** Undefined if input is not interactive. */
  ask?(question: string): Promise<string>;
}

export function processTerminal(): Terminal {
  // The failed write reports the error; without a listener it would end the process.
  process.stdout.on('error', () => undefined);
  return {
    env: process.env,
    directory: process.cwd(),
    out: (text) => writeOut(text),
    err: (text) => void process.stderr.write(text),
    isWatched: process.stderr.isTTY,
    ...(process.stdin.isTTY && { ask }),
  };
}

/**
 * Waits while the pipe is full: an export may be larger than the memory. Rejects when the reader closes, as with
 * `head`.
 */
async function writeOut(text: string): Promise<void> {
  await new Promise<void>((resolve, reject) =>
    process.stdout.write(text, (error) => (error ? reject(error) : resolve())),
  );
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}
