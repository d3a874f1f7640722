import pg from 'pg';

/** Every contestant and round gets a database of its own on the one server. */
export class Databases {
  readonly #serverUrl: string;
  #made = 0;

  constructor(serverUrl: string) {
    this.#serverUrl = serverUrl;
  }

  async create(template = 'template1'): Promise<BenchDatabase> {
    const name = `bench_${++this.#made}`;
    await this.#onServer(`create database ${name} template ${template} strategy file_copy`);
    return {
      name,
      url: this.#urlOf(name),
      drop: () => this.#onServer(`drop database ${name} with (force)`),
    };
  }

  /** So that no contestant pays for the dirty pages that the one before it left behind. */
  async checkpoint(): Promise<void> {
    await this.#onServer('checkpoint');
  }

  async #onServer(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.#serverUrl });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }

  #urlOf(name: string): string {
    const url = new URL(this.#serverUrl);
    url.pathname = `/${name}`;
    return url.href;
  }
}

export interface BenchDatabase {
  name: string;
  url: string;
  drop(): Promise<void>;
}
