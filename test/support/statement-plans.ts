import type pg from 'pg';
import { createTestDatabase, type TestDatabase } from './test-database.js';

/** What PostgreSQL did for one statement, according to its own `auto_explain`. */
export interface StatementReads {
  text: string;
  /** Rows of tables that it looked at, including discarded ones. */
  rows: number;
  /** Blocks of 8 KB that it looked at. Counts entries of indexes that match only in part, which `rows` leaves out. */
  blocks: number;
  /** Parallel workers, each of which takes a core. */
  workers: number;
}

interface Plan {
  'Node Type': string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Workers Planned'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: Plan[];
}

/** A database whose statements report their plans, as notices to the client that runs them. */
export class ExplainedTestDatabase {
  readonly #reads: StatementReads[] = [];

  private constructor(readonly database: TestDatabase) {}

  static async create(): Promise<ExplainedTestDatabase> {
    const database = await createTestDatabase();
    const name = new URL(database.url).pathname.slice(1);
    for (const [setting, value] of SETTINGS) {
      await database.query(`alter database ${name} set ${setting} = '${value}'`);
    }
    const explained = new ExplainedTestDatabase(database);
    Object.assign(database.ormOptions, {
      driverOptions: { onPoolCreated: (pool: pg.Pool) => explained.listen(pool) },
    });
    return explained;
  }

  /** The statements of the work, in the order in which they ended. */
  async during(work: () => Promise<unknown>): Promise<StatementReads[]> {
    this.#reads.length = 0;
    await work();
    return [...this.#reads];
  }

  private listen(pool: pg.Pool): void {
    pool.on('connect', (client) => {
      client.on('notice', ({ message }) => {
        const [, json] = /^duration: .*? plan:\n(.*)$/s.exec(message ?? '') ?? [];
        if (json) {
          const { 'Query Text': text, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: Plan };
          const blocks = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
          this.#reads.push({ text, blocks, rows: rowsOf(plan), workers: workersOf(plan) });
        }
      });
    });
  }
}

const SETTINGS = [
  ['session_preload_libraries', 'auto_explain'],
  ['auto_explain.log_min_duration', '0'],
  ['auto_explain.log_analyze', 'on'],
  ['auto_explain.log_buffers', 'on'],
  ['auto_explain.log_timing', 'off'],
  ['auto_explain.log_format', 'json'],
  ['auto_explain.log_level', 'notice'],
];

function rowsOf(plan: Plan): number {
  const own = / Scan$/.test(plan['Node Type']) && !NOT_A_TABLE.has(plan['Node Type']) ? readBy(plan) : 0;
  return (plan.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), own);
}

/** Rows of these were counted where they were read from a table. */
const NOT_A_TABLE = new Set([
  'Bitmap Index Scan',
  'CTE Scan',
  'Function Scan',
  'Subquery Scan',
  'Values Scan',
  'WorkTable Scan',
]);

function workersOf(plan: Plan): number {
  return (plan.Plans ?? []).reduce((sum, child) => sum + workersOf(child), plan['Workers Planned'] ?? 0);
}

function readBy(plan: Plan): number {
  const perLoop =
    (plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  return Math.round(perLoop * (plan['Actual Loops'] ?? 0));
}
