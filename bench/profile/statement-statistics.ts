import pg from 'pg';

/** Server settings that `StatementStatistics` needs. Without ids of queries, nothing is tracked and nothing costs. */
export const statementSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
  compute_query_id: 'off',
};

const SHOWN = 15;

/** Time per statement in one contestant's database, including planning. */
export class StatementStatistics {
  readonly #databaseUrl: string;

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  /** Tracks the connections that are opened from now on. */
  async track(): Promise<void> {
    await this.query('create extension if not exists pg_stat_statements');
    await this.query(`alter database ${new URL(this.#databaseUrl).pathname.slice(1)} set compute_query_id = 'on'`);
  }

  async reset(): Promise<void> {
    await this.query('select pg_stat_statements_reset()');
  }

  /** Total milliseconds of the statements that contain `text`. */
  async millisecondsOf(text: string): Promise<number> {
    const [row] = await this.query<{ total: number | null }>(
      `select sum(total_plan_time + total_exec_time) as total from pg_stat_statements
       where dbid = (select oid from pg_database where datname = current_database()) and position($1 in query) > 0`,
      [text],
    );
    return row!.total ?? 0;
  }

  async print(): Promise<void> {
    const rows = await this.query<{ calls: string; total: number; plan: number; mean: number; query: string }>(`
      select calls, total_plan_time + total_exec_time as total, total_plan_time as plan,
        (total_plan_time + total_exec_time) / greatest(calls, 1) as mean, regexp_replace(query, '\\s+', ' ', 'g') as query
      from pg_stat_statements
      where dbid = (select oid from pg_database where datname = current_database())
      order by total desc limit ${SHOWN}
    `);
    for (const { calls, total, plan, mean, query } of rows) {
      const figures = `${total.toFixed(0)} ms, planning ${plan.toFixed(0)} ms, ${calls} calls, ${mean.toFixed(2)} ms each`;
      console.error(`${figures}: ${query.slice(0, 160)}`);
    }
  }

  /** As a superuser, on a connection of its own. */
  async query<Row extends pg.QueryResultRow>(statement: string, values?: unknown[]): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.#databaseUrl });
    await client.connect();
    try {
      return (await client.query<Row>(statement, values)).rows;
    } finally {
      await client.end();
    }
  }
}
