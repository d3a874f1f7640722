import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';

const FOREIGN = 20_000;

describe('what a tenant with few rows asks for', () => {
  const tenantId = randomUUID();
  const failingTenantId = randomUUID();
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    const tenants = `case when n = 1 then '${tenantId}' else md5((n % 50)::text)::uuid end`;
    await database.query(
      `insert into kernel_ledger_entry (entry_id, kind, conclusion, tenant_id, trace_id, actor)
       select gen_random_uuid(), (array['published', 'delivered', 'endpoint-updated', 'attempt'])[1 + n % 4],
         case when n % 4 = 3 then 'delivered' end, ${tenants}, 'trace-0001', 'test'
       from generate_series(1, ${FOREIGN}) n`,
    );
    await database.query(
      `insert into kernel_ledger_entry (entry_id, kind, conclusion, tenant_id, trace_id, actor)
       values (gen_random_uuid(), 'endpoint-updated', null, $1, 'trace-0001', 'test'),
         (gen_random_uuid(), 'dead-lettered', null, $2, 'trace-0001', 'test'),
         (gen_random_uuid(), 'attempt', 'dead-lettered', $2, 'trace-0001', 'test'),
         (gen_random_uuid(), 'attempt', 'retry', $2, 'trace-0001', 'test')`,
      [tenantId, failingTenantId],
    );
    await database.query(
      `insert into kernel_outbox_event
         (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, status)
       select gen_random_uuid(), ${tenants}, 's:' || n, 't.v1', now(), 'trace-0001', '{}', 'hash', 'PUBLISHED'
       from generate_series(1, ${FOREIGN}) n`,
    );
    await database.query('analyze');
  });
  afterAll(() => database.drop());

  it.each([
    [
      'entries of a kind',
      `select * from kernel_ledger_entry where tenant_id = $1 and kind = 'endpoint-updated' order by entry_id desc limit 51`,
      tenantId,
      1,
    ],
    [
      'dead letters, with and without an attempt',
      `select * from kernel_ledger_entry where tenant_id = $1 and (kind = 'dead-lettered' or conclusion = 'dead-lettered')
       order by entry_id desc limit 51`,
      failingTenantId,
      2,
    ],
    [
      'events',
      `select * from kernel_outbox_event where tenant_id = $1 order by created_at desc, event_id desc limit 51`,
      tenantId,
      1,
    ],
  ])('[KER-T] is found without reading what others have: %s', async (_, statement, askingId, expected) => {
    const [{ 'QUERY PLAN': plans } = { 'QUERY PLAN': [] }] = await database.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `explain (analyze, format json) ${statement}`,
      [askingId],
    );
    const { found, passedOver } = count(plans[0]!.Plan);
    expect(found).toBe(expected);
    expect(passedOver).toBe(0);
  });
});

interface Plan {
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

function count(plan: Plan): { found: number; passedOver: number } {
  const below = (plan.Plans ?? []).map(count);
  return {
    found: plan['Actual Rows'],
    passedOver: below.reduce((sum, { passedOver }) => sum + passedOver, plan['Rows Removed by Filter'] ?? 0),
  };
}
