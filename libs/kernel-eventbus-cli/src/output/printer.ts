import type { Page, Row } from '../connection/admin-api.js';
import type { Terminal } from '../terminal.js';
import { toJson } from './plain-text.js';
import { renderRecord, renderTable, type Columns } from './table.js';

/** Tables for people, JSON for scripts. */
export class Printer {
  readonly #terminal: Terminal;
  readonly #isJson: boolean;

  constructor(terminal: Terminal, isJson: boolean) {
    this.#terminal = terminal;
    this.#isJson = isJson;
  }

  async page(page: Page, columns: Columns): Promise<void> {
    if (this.#isJson) {
      return this.json(page);
    }
    await this.table(page.items, columns);
    if (page.nextCursor !== null) {
      this.note(`there are more: raise --limit, or go on with --cursor ${page.nextCursor}`);
    }
  }

  async record(record: Row): Promise<void> {
    await (this.#isJson ? this.json(record) : this.#terminal.out(renderRecord(record)));
  }

  /** The raw response in JSON mode, else the output of `forPeople`. */
  async answer(response: Row, forPeople: () => Promise<void>): Promise<void> {
    await (this.#isJson ? this.json(response) : forPeople());
  }

  async table(rows: Row[], columns: Columns): Promise<void> {
    await this.#terminal.out(rows.length > 0 ? renderTable(rows, columns) : 'none\n');
  }

  async text(text: string): Promise<void> {
    await this.#terminal.out(`${text}\n`);
  }

  /** A message beside the result, on standard error. */
  note(text: string): void {
    this.#terminal.err(`${text}\n`);
  }

  private async json(value: unknown): Promise<void> {
    await this.#terminal.out(`${toJson(value)}\n`);
  }
}
