import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** The domain's transaction over plain pg: one row, and the jobs that the peer adds to it. */
export class PgTransactions {
  readonly #pool: pg.Pool;

  constructor(databaseUrl: string) {
    this.#pool = new pg.Pool({ connectionString: databaseUrl, max: 32 });
  }

  async prepare(): Promise<void> {
    await this.#pool.query('create table if not exists bench_row (id uuid primary key, note text not null)');
  }

  async run(alongside: (client: pg.PoolClient) => Promise<unknown>): Promise<void> {
    const client = await this.#pool.connect();
    try {
      await client.query('begin');
      await client.query('insert into bench_row (id, note) values ($1, $2)', [randomUUID(), 'a row of the domain']);
      await alongside(client);
      await client.query('commit');
    } finally {
      client.release();
    }
  }

  async count(statement: string): Promise<number> {
    const { rows } = await this.#pool.query<{ count: string }>(statement);
    return Number(rows[0]!.count);
  }

  query(statement: string, values?: unknown[]): Promise<unknown> {
    return this.#pool.query(statement, values);
  }

  /** Each connection parses and plans a named statement once. */
  async prepared<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    return (await this.#pool.query<Row>({ name, text, values })).rows;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
