import { randomUUID } from 'node:crypto';
import { EVENT_TYPE, TENANT_ID, type WebhookEvent } from '../webhook/event.ts';
import type { Target } from '../webhook/webhook-poster.ts';
import type { PgTransactions } from './pg-transactions.ts';

/** Tables of a webhook feature on a job queue, with the indexes that its screens and its deduplication need. */
export async function createSameJobTables(transactions: PgTransactions, { url, secret }: Target): Promise<void> {
  await transactions.query(`
    create table webhook_endpoint (
      id uuid primary key,
      tenant_id uuid not null,
      url text not null,
      secret text not null,
      event_types text[] not null,
      is_enabled boolean not null default true
    );
    create index on webhook_endpoint (tenant_id);
    create table webhook_delivery (
      id uuid primary key,
      tenant_id uuid not null,
      endpoint_id uuid not null references webhook_endpoint,
      event_id uuid not null,
      event_type text not null,
      status text not null,
      attempts int not null,
      status_code int null,
      error text null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (endpoint_id, event_id)
    );
    create index on webhook_delivery (tenant_id, created_at);
    create table webhook_audit (
      id bigint generated always as identity primary key,
      at timestamptz not null default now(),
      tenant_id uuid not null,
      event_id uuid not null,
      delivery_id uuid not null,
      trace_id text not null,
      action text not null,
      status_code int null,
      latency_ms int null,
      error text null
    );
    create index on webhook_audit (event_id);
  `);
  await transactions.query(
    'insert into webhook_endpoint (id, tenant_id, url, secret, event_types) values ($1, $2, $3, $4, $5)',
    [randomUUID(), TENANT_ID, url, secret, [EVENT_TYPE]],
  );
}

export async function findEndpoint(
  transactions: PgTransactions,
  { tenantId, type }: WebhookEvent,
): Promise<(Target & { id: string }) | undefined> {
  const [endpoint] = await transactions.prepared<Target & { id: string }>(
    'find-endpoint',
    `select id, url, secret from webhook_endpoint
     where tenant_id = $1 and $2 = any(event_types) and is_enabled`,
    [tenantId, type],
  );
  return endpoint;
}

/** A second run of the job finds the record of the first. */
export async function insertDelivery(
  transactions: PgTransactions,
  { tenantId, eventId, type }: WebhookEvent,
  endpointId: string,
): Promise<string> {
  const [delivery] = await transactions.prepared<{ id: string }>(
    'insert-delivery',
    `insert into webhook_delivery (id, tenant_id, endpoint_id, event_id, event_type, status, attempts)
     values ($1, $2, $3, $4, $5, 'pending', 1)
     on conflict (endpoint_id, event_id)
       do update set attempts = webhook_delivery.attempts + 1, updated_at = now()
     returning id`,
    [randomUUID(), tenantId, endpointId, eventId, type],
  );
  return delivery!.id;
}

export interface Outcome {
  deliveryId: string;
  status: 'delivered' | 'failed';
  statusCode?: number;
  latencyMs: number;
  error?: string;
}

/** Record and audit row in one statement, so in one transaction and one round trip. */
export async function recordOutcome(
  transactions: PgTransactions,
  { tenantId, eventId, traceId }: WebhookEvent,
  { deliveryId, status, statusCode, latencyMs, error }: Outcome,
): Promise<void> {
  await transactions.prepared(
    'record-outcome',
    `with delivery as (
       update webhook_delivery set status = $2, status_code = $3, error = $4, updated_at = now() where id = $1
     )
     insert into webhook_audit (tenant_id, event_id, delivery_id, trace_id, action, status_code, latency_ms, error)
     values ($5, $6, $1, $7, $2, $3, $8, $4)`,
    [deliveryId, status, statusCode ?? null, error ?? null, tenantId, eventId, traceId, latencyMs],
  );
}
