import { WebhookReceiver } from '@kernel/eventbus/testing';
import type { ConsoleApp } from './console-app.js';

const RESPONSES = [
  204,
  { statusCode: 503, body: 'closed for stocktaking' },
  { statusCode: 422, body: 'unknown account' },
];
const NIL = '00000000-0000-0000-0000-000000000000';

/** Sample data: healthy and failing endpoints, an ordered one with a blocked lane, and an hour of history. */
export async function makeShowcase({ ask, erp, createInvoice }: ConsoleApp): Promise<{ end(): Promise<void> }> {
  const { tenantId } = erp;
  const receivers = await Promise.all(
    RESPONSES.map(async (response) => (await WebhookReceiver.start()).otherwise(response)),
  );
  const [good, down, picky] = receivers.map(({ url }) => url);
  const subscribedTypes = ['invoice.created.v1', 'invoice.posted.v1'];
  for (const endpoint of [
    { name: 'Northwind accounting', url: good, subscribedTypes: [...subscribedTypes, 'invoice.updated.v1'] },
    { name: 'Tax archive', url: good, subscribedTypes, isExternal: false },
    { name: 'Contoso warehouse', url: down, subscribedTypes: ['invoice.created.v1'] },
    { name: 'Fabrikam ledger', url: picky, subscribedTypes: ['invoice.created.v1'], ordering: 'stream' },
  ]) {
    await ask('POST', '/endpoints', { tenantId, ...endpoint });
  }
  for (let count = 0; count < 12; count++) {
    await createInvoice();
  }
  await writeHistory(erp.database, tenantId);
  return { end: async () => void (await Promise.all(receivers.map((receiver) => receiver.stop()))) };
}

/** Activity of the last hour (minutes) and day (half hours), with a wave and a bad quarter of an hour. */
async function writeHistory(database: ConsoleApp['erp']['database'], tenantId: string): Promise<void> {
  const endpoints = await database.query<{ endpoint_id: string }>(
    `select endpoint_id from kernel_webhook_endpoint where tenant_id = $1`,
    [tenantId],
  );
  for (const [index, [endpointId, share]] of (
    [[NIL, 1], ...endpoints.map((row) => [row.endpoint_id, 0.2])] as [string, number][]
  ).entries()) {
    await database.query(
      `insert into kernel_activity (tenant_id, endpoint_id, step_seconds, starts_at, published, delivered, failed_attempts,
         dead_lettered, latency_counts)
       select $1, $2, seconds, at, n, n * 2, f, f / 4,
         array_fill(0, array[6]) || array[n, n / 2, n / 3, n / 6, n / 9, n / 14, n / 20 + 1, n / 40, n / 60] || array_fill(0, array[20])
       from (
         select seconds, at, (($3::float * seconds / 60 * (34 + 14 * sin(extract(epoch from at) / seconds / 4)
             + 6 * sin(extract(epoch from at) / seconds * 1.7))))::int as n,
           ($3::float * $4::float * case when step between 14 and 21 then 22 else 2 end)::int as f
         from (
           select 60 as seconds, step, date_bin('1 minute', now() - step * interval '1 minute', 'epoch') as at from generate_series(1, 60) step
           union all
           select 1800, step, date_bin('30 minutes', now() - step * interval '30 minutes', 'epoch') from generate_series(1, 48) step
         ) steps
       ) sums
       on conflict do nothing`,
      [tenantId, endpointId, share, 1 + index * share * 9],
    );
  }
}
