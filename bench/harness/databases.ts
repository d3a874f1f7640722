import pg from 'pg';

/** Every contestant and round gets its own database on the one server. */
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
      drop: async () => void (await this.#onServer(`drop database ${name} with (force)`)),
    };
  }

  /** Keeps a contestant from paying for the dirty pages of the previous one. */
  async checkpoint(): Promise<void> {
    await this.#onServer('checkpoint');
  }

  async sizeOf({ name }: BenchDatabase): Promise<number> {
    const [row] = await this.#onServer<{ bytes: string }>(`select pg_database_size('${name}') as bytes`);
    return Number(row!.bytes);
  }

  async #onServer<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.#serverUrl });
    await client.connect();
    try {
      return (await client.query<Row>(statement)).rows;
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
