import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Block {
  letter: string;
  claim: string;
  parts: string[];
}

/** Collects the results of the proofs; `npm run evidence` turns them into `docs/evidence.md`. */
export class EvidencePage {
  readonly #blocks: Block[] = [];

  block(letter: string, claim: string): EvidenceBlock {
    const block: Block = { letter, claim, parts: [] };
    this.#blocks.push(block);
    return new EvidenceBlock(block.parts);
  }

  /** Only with the variable that `npm run evidence` sets, so a plain test run changes no file. */
  async writeWhenAsked(): Promise<void> {
    if (process.env.EVIDENCE === 'write') {
      await writeFile(join(import.meta.dirname, '../../docs/evidence.md'), this.render());
    }
  }

  private render(): string {
    const blocks = [...this.#blocks].sort((a, b) => a.letter.localeCompare(b.letter));
    return [
      '# Evidence: outbox and webhooks (EVI027)',
      'Written by `npm run evidence` on a real PostgreSQL and real HTTP servers. Ids and times differ from run to run; the results\ndo not.',
      ...blocks.map(({ letter, claim, parts }) => [`## [${letter}] ${claim}`, ...parts].join('\n\n')),
    ]
      .join('\n\n')
      .concat('\n');
  }
}

export class EvidenceBlock {
  constructor(private readonly parts: string[]) {}

  say(text: string): this {
    this.parts.push(text);
    return this;
  }

  /** Rows as a table, in the order of the first row's keys. */
  rows(rows: readonly Record<string, unknown>[]): this {
    const columns = Object.keys(rows[0] ?? {});
    this.parts.push(
      rows.length === 0
        ? '*(no rows)*'
        : [
            `| ${columns.join(' | ')} |`,
            `|${columns.map(() => '---').join('|')}|`,
            ...rows.map((row) => `| ${columns.map((column) => cell(row[column])).join(' | ')} |`),
          ].join('\n'),
    );
    return this;
  }

  json(value: unknown): this {
    this.parts.push(`\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``);
    return this;
  }
}

function cell(value: unknown): string {
  if (value === null || value === undefined) {
    return '';
  }
  return value instanceof Date
    ? value.toISOString()
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
}
