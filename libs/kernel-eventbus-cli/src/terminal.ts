import { createInterface } from 'node:readline/promises';

/** Where the command line reads and writes; a test has one of its own. */
export interface Terminal {
  env: Record<string, string | undefined>;
  directory: string;
  /** Results go here, so that they can be piped. */
  out(text: string): void | Promise<void>;
  /** Progress, hints and errors go here. */
  err(text: string): void;
  /** Whether somebody watches `err`. */
  isWatched: boolean;
  /** Undefined where nobody can be asked. */
  ask?(question: string): Promise<string>;
}

export function processTerminal(): Terminal {
  // Told by the write that failed; without a listener it would end the process.
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

/** Waits while the pipe is full: an export may be larger than the memory. A reader that has gone ends it, as `head` does. */
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
