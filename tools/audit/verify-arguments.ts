import { parseArgs } from 'node:util';

const USAGE = 'usage: npm run audit:verify -- [--anchor <batch number>:<seal>]';

export interface Anchor {
  batchNumber: number;
  seal: string;
}

/** A mistyped argument is an error: the result must not pass for a verified ledger. */
export function readVerifyArguments(args: string[]): { anchor: Anchor | undefined } {
  try {
    const { anchor } = parseArgs({ args, options: { anchor: { type: 'string' } } }).values;
    return { anchor: anchor === undefined ? undefined : readAnchor(anchor) };
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`, { cause: error });
  }
}

function readAnchor(text: string): Anchor {
  const [, batchNumber, seal] = /^([1-9]\d*):([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  if (!batchNumber || !seal) {
    throw new Error(`'${text}' is no anchor: write a batch number, a colon and its seal, like 17:q83v...`);
  }
  return { batchNumber: Number(batchNumber), seal };
}
