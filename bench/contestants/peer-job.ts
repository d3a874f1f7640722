import type { WebhookEvent } from '../webhook/event.ts';
import { FetchPoster, PoolPoster, type WebhookPoster } from '../webhook/webhook-poster.ts';
import type { Setup } from './contestant.ts';
import type { PgTransactions } from './pg-transactions.ts';
import { createSameJobTables, findEndpoint, insertDelivery, recordOutcome } from './same-job.sql.ts';

/** The code of a peer's job. */
export interface PeerJob {
  run(event: WebhookEvent): Promise<void>;
  close(): Promise<void>;
}

export async function preparePeerJob({ job, sinkUrl, secret }: Setup, transactions: PgTransactions): Promise<void> {
  if (job !== undefined && job !== 'bare') {
    await createSameJobTables(transactions, { url: sinkUrl, secret });
  }
}

export function makePeerJob(setup: Setup, transactions: PgTransactions): PeerJob {
  const poster = setup.job === 'same-with-fetch' ? new FetchPoster() : new PoolPoster();
  const run =
    setup.job === undefined || setup.job === 'bare'
      ? async (event: WebhookEvent) => void (await poster.post(event, { url: setup.sinkUrl, secret: setup.secret }))
      : (event: WebhookEvent) => deliver(event, poster, transactions);
  return { run, close: () => poster.close() };
}

/** Our job as a team writes it on a queue: finds the endpoint, keeps a delivery record, adds an audit row. */
async function deliver(event: WebhookEvent, poster: WebhookPoster, transactions: PgTransactions): Promise<void> {
  const endpoint = await findEndpoint(transactions, event);
  if (!endpoint) {
    return;
  }
  const deliveryId = await insertDelivery(transactions, event, endpoint.id);
  const startMs = performance.now();
  try {
    const statusCode = await poster.post(event, endpoint);
    await recordOutcome(transactions, event, {
      deliveryId,
      status: 'delivered',
      statusCode,
      latencyMs: Math.round(performance.now() - startMs),
    });
  } catch (error) {
    await recordOutcome(transactions, event, {
      deliveryId,
      status: 'failed',
      error: String(error),
      latencyMs: Math.round(performance.now() - startMs),
    });
    throw error;
  }
}
