import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Tables that grow with the published events. */
const BIG = /^kernel_(webhook_delivery|outbox_event|ledger_entry|activity)/;

export interface Explanation {
  /** Rows that a statement scanned, including discarded ones. */
  read: number;
}

/** Runs statements like the app and reports the rows that each one read, according to PostgreSQL's `explain`. */
export class ExplainedDatabase {
  readonly explanations: Explanation[] = [];
  readonly db: Kysely<unknown>;
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
    const connection = {
      query: async (text: string, values: readonly unknown[]) => {
        await this.explain(text, values);
        return client.query(text, [...values]);
      },
      release: () => undefined,
    };
    const pool = { connect: () => Promise.resolve(connection), end: () => Promise.resolve() };
    this.db = new Kysely({ dialect: new PostgresDialect({ pool: pool as never }) });
  }

  static async open(connectionString: string): Promise<ExplainedDatabase> {
    const client = new pg.Client({ connectionString });
    await client.connect();
    return new ExplainedDatabase(client);
  }

  /** The reads of all statements of the work. */
  async during(work: (db: Kysely<unknown>) => Promise<unknown>): Promise<Explanation[]> {
    this.explanations.length = 0;
    await work(this.db);
    return [...this.explanations];
  }

  /** Same setting as `planByIndexes`. */
  async useIndexes(isWanted: boolean): Promise<void> {
    const value = isWanted ? 'off' : 'on';
    await this.#client.query(`set enable_seqscan = ${value}; set enable_bitmapscan = ${value}`);
  }

  async explain(text: string, values: readonly unknown[] = []): Promise<void> {
    const { rows } = await this.#client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `explain (analyze, format json) ${text}`,
      [...values],
    );
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0]!;
    const nodes = flatten(plan).filter((node) => BIG.test(node['Relation Name'] ?? ''));
    this.explanations.push({ read: nodes.reduce((sum, node) => sum + readBy(node), 0) });
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}

function flatten(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flatten)];
}

function readBy(node: Plan): number {
  return (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
}
