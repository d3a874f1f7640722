import type { Command } from 'commander';
import { AdminApi } from './connection/admin-api.js';
import { readToken, readUrl, type ConnectionOptions } from './connection/read-connection.js';
import { Printer } from './output/printer.js';
import type { Terminal } from './terminal.js';

/** Shared dependencies of all commands, built from the global options. */
export class Cli {
  readonly terminal: Terminal;
  readonly #program: Command;

  constructor(program: Command, terminal: Terminal) {
    this.#program = program;
    this.terminal = terminal;
  }

  get url(): URL {
    return readUrl(this.options, this.terminal);
  }

  get api(): AdminApi {
    return new AdminApi(this.url, readToken(this.options, this.terminal));
  }

  get print(): Printer {
    return new Printer(this.terminal, this.options.json ?? false);
  }

  private get options(): ConnectionOptions & { json?: boolean } {
    return this.#program.opts();
  }
}
