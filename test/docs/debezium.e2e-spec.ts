import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { waitFor } from '@kernel/eventbus/testing';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { readPgoutput } from './pgoutput.js';

const ROOT = resolve(import.meta.dirname, '../..');
const SMT = 'transforms.outbox.';
const DAY_MS = 86_400_000;

/** The lowest id of that millisecond. */
function firstIdOf(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The configured columns of the outbox event router, by purpose. */
function columnsOf(config: Record<string, string>): Record<string, string> {
  const placed = config[`${SMT}table.fields.additional.placement`]!.split(',').map((entry) => entry.split(':'));
  return {
    id: config[`${SMT}table.field.event.id`]!,
    key: config[`${SMT}table.field.event.key`]!,
    payload: config[`${SMT}table.field.event.payload`]!,
    route: config[`${SMT}route.by.field`]!,
    ...Object.fromEntries(placed.map(([column, place, name]) => [`${place}:${name}`, column!])),
  };
}

describe('docs/debezium.md', () => {
  let page: string;
  let config: Record<string, string>;
  let kernel: KernelApp;
  let client: pg.Client;
  beforeAll(async () => {
    page = await readFile(join(ROOT, 'docs/debezium.md'), 'utf8');
    config = (JSON.parse(/```json\n([^]*?)```/.exec(page)![1]!) as { config: Record<string, string> }).config;
    kernel = await startKernelApp();
    client = new pg.Client({ connectionString: kernel.database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await kernel.close();
  });

  const statements = () => [...page.matchAll(/```sql\n([^]*?)```/g)].map(([, sql]) => sql!);
  const rows = async <Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []) =>
    (await client.query<Row>(sql, values)).rows;
  const publish = (type: string, eventId?: string) =>
    kernel.outbox.publishDetached({
      tenantId: randomUUID(),
      type,
      streamKey: 'order:1',
      traceId: 'trace-0001',
      eventId,
      payload: { total: 5 },
    });

  it('names a table and columns that exist, of the kinds that the router needs', async () => {
    const [schema, table] = config['table.include.list']!.split('.');
    const found = await rows<{ column_name: string; data_type: string }>(
      'select column_name, data_type from information_schema.columns where table_schema = $1 and table_name = $2',
      [schema, table],
    );
    const kinds = new Map(found.map(({ column_name, data_type }) => [column_name, data_type]));
    const columns = columnsOf(config);
    expect(Object.keys(columns).length).toBeGreaterThan(8);
    expect(Object.values(columns).filter((column) => !kinds.has(column))).toEqual([]);
    expect(kinds.get(columns.id!)).toBe('uuid');
    expect(kinds.get(columns.payload!)).toBe('jsonb');
    expect(Object.keys(columns).filter((place) => place.includes(':') && !place.startsWith('header:'))).toEqual([]);
  });

  it('makes the publication and the role that the connector asks for', async () => {
    await client.query('begin');
    for (const sql of statements()) {
      await client.query(sql);
    }
    const publications = await rows('select * from pg_publication_tables');
    const roles = await rows<{ rolname: string }>('select rolname from pg_roles where rolreplication and rolcanlogin');
    await client.query('rollback');
    expect(publications).toHaveLength(1);
    const [publication] = publications;
    expect(publication).toMatchObject({ pubname: config['publication.name'], tablename: 'kernel_outbox_event' });
    expect(roles.map(({ rolname }) => rolname)).toContain(config['database.user']);
  });

  it('sends each published row once, under the name of the table, with its columns and no others', async () => {
    await client.query(statements()[0]!);
    const slot = `debezium_${randomUUID().replaceAll('-', '_')}`;
    await client.query(`select pg_create_logical_replication_slot($1, 'pgoutput', temporary => true)`, [slot]);

    // Stored in the default partition until its day has one.
    const day = Math.floor(Date.now() / DAY_MS) * DAY_MS + 20 * DAY_MS;
    const { eventId: moved } = await publish('order.placed.v1', uuidv7({ msecs: day + 1 }));
    const { eventId } = await publish('order.shipped.v1');
    await publish('order.cancelled.v1');
    await waitFor(async () => {
      const pending = await rows(`select from kernel_outbox_event where status <> 'PUBLISHED'`);
      return pending.length === 0;
    }, 'the rows to be marked as routed');
    const name = `kernel_outbox_event_p${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}_00`;
    const made = await rows('select * from kernel_make_outbox_partition($1, $2, $3, 100, true)', [
      name,
      firstIdOf(day),
      firstIdOf(day + DAY_MS),
    ]);
    expect(made).toEqual([{ outcome: 'made', moved: '1' }]);

    const read = await rows<{ data: Buffer }>(
      `select data from pg_logical_slot_get_binary_changes($1, null, null, 'proto_version', '1', 'publication_names', $2)`,
      [slot, config['publication.name']],
    );
    const messages = readPgoutput(read.map(({ data }) => data));
    expect(messages).toEqual([
      {
        kind: 'insert',
        table: 'kernel_outbox_event',
        row: expect.objectContaining({ event_id: moved, payload_jsonb: '{"total": 5}' }),
      },
      { kind: 'insert', table: 'kernel_outbox_event', row: expect.objectContaining({ event_id: eventId }) },
    ]);
    const sent = messages.flatMap((message) => (message.kind === 'insert' ? Object.keys(message.row) : []));
    expect(Object.values(columnsOf(config)).filter((column) => !sent.includes(column))).toEqual([]);
    expect(sent.filter((column) => ['actor_id', 'attributes', 'status', 'payload_hash'].includes(column))).toEqual([]);
  });
});
