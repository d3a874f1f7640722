import { InvalidArgumentError, type Command } from 'commander';
import type { Cli } from '../cli.js';
import { FailedError } from '../cli.errors.js';
import type { Row } from '../connection/admin-api.js';
import { writeWhole } from '../output/write-whole.js';
import { withExamples } from './examples.js';

interface Verification extends Row {
  isIntact: boolean;
  firstBroken: { fault: string; batchNumber: number; entryId: string | null } | null;
}

interface Anchor extends Row {
  batchNumber: number;
  seal: string;
}

export function addAudit(program: Command, cli: Cli): void {
  const audit = program.command('audit').description('the ledger of all that happened');

  const verify = audit
    .command('verify')
    .description('whether it is as it was sealed; exit code 1 if not')
    .option('--anchor <number:seal>', 'a seal seen before, through which the chain must still lead', readAnchor);
  withExamples(verify, ['audit verify', 'audit verify --anchor 12:<seal>']);
  verify.action(async (request: { anchor?: Anchor }) => {
    const verification = await cli.api.post<Verification>('audit/verify', { ...request });
    await cli.print.record(verification);
    if (!verification.isIntact) {
      const { fault, batchNumber, entryId } = verification.firstBroken ?? {};
      throw new FailedError(
        `the ledger is broken: ${fault}, batch ${batchNumber}${entryId ? `, entry ${entryId}` : ''}`,
      );
    }
  });

  const exporting = audit
    .command('export')
    .description('as NDJSON, which can be verified without the database')
    .option('--out <file>', 'a new file instead of the standard output');
  withExamples(exporting, ['audit export --out ledger.ndjson', 'audit export | gzip > ledger.ndjson.gz']);
  exporting.action(async ({ out }: { out?: string }) => {
    const lines = cli.api.lines('audit/export');
    if (out !== undefined) {
      await writeWhole(lines, { path: out, directory: cli.terminal.directory });
      await cli.print.answer({ file: out }, () => cli.print.text(`written to ${out}`));
      return;
    }
    for await (const text of lines) {
      await cli.terminal.out(text);
    }
  });
}

function readAnchor(text: string): Anchor {
  const [, batchNumber, seal] = /^(\d{1,10}):(\S+)$/.exec(text) ?? [];
  if (!batchNumber || !seal) {
    throw new InvalidArgumentError('It must be a batch number and its seal: 12:<seal>.');
  }
  return { batchNumber: Number(batchNumber), seal };
}
