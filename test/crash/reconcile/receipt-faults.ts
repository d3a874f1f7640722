import { Webhook } from 'standardwebhooks';
import type { CrashEndpoint } from '../crash-run.js';
import type { JournalRow } from '../programs/journal.sql.js';
import type { Receipt } from '@kernel/test-support/recording-receiver';

const MAX_AGE_MS = 300_000;

/**
 * Every committed event arrived at its endpoints, nothing else arrived, and a repeat of a delivery is byte-identical.
 * An event whose routing was lost is routed again: that delivery differs only in `dispatchedAt`.
 */
export function findReceiptFaults(
  journal: readonly JournalRow[],
  endpoints: readonly CrashEndpoint[],
  receipts: readonly Receipt[],
): string[] {
  return endpoints.flatMap((endpoint) => {
    const wanted = new Map(journal.filter((row) => isWantedBy(row, endpoint)).map((row) => [row.eventId, row]));
    const arrived = receipts.filter((receipt) => receipt.endpoint === endpoint.name);
    const bodies = new Map<string, string>();
    const firstOf = (key: string, body: string) => bodies.set(key, bodies.get(key) ?? body).get(key);
    const faults = arrived.flatMap((receipt) => {
      const eventId = receipt.headers['webhook-id'] as string;
      const deliveryId = receipt.headers['x-kernel-delivery-id'] as string;
      const isSame =
        receipt.body === firstOf(`delivery ${deliveryId}`, receipt.body) &&
        withoutDispatch(receipt.body) === firstOf(`event ${eventId}`, withoutDispatch(receipt.body));
      const row = wanted.get(eventId);
      return [
        ...(row ? contentFaults(receipt, row) : ['was not committed, or is none of its business']),
        ...(isSame ? [] : ['was repeated with another body']),
        ...(isSignedFor(endpoint, receipt) ? [] : ['is not signed with its secret']),
        ...(isFresh(receipt) ? [] : ['was signed more than five minutes before or after it arrived']),
      ].map((fault) => `${endpoint.name}: ${eventId} ${fault}`);
    });
    const missing = [...wanted.keys()].filter((eventId) => !bodies.has(`event ${eventId}`));
    return [...faults, ...missing.map((eventId) => `${endpoint.name}: ${eventId} never arrived`)];
  });
}

export function isWantedBy(row: JournalRow, endpoint: CrashEndpoint): boolean {
  return row.tenantId === endpoint.tenantId && endpoint.types.includes(row.type);
}

function withoutDispatch(body: string): string {
  return body.replace(/"dispatchedAt":"[^"]*"/, '');
}

function contentFaults(receipt: Receipt, { eventId, tenantId, streamKey, type, place }: JournalRow): string[] {
  const body = JSON.parse(receipt.body) as Record<string, unknown>;
  const told = { eventId, tenantId, streamKey, type, payload: { place } };
  const isSame = Object.entries(told).every(([key, value]) => JSON.stringify(body[key]) === JSON.stringify(value));
  return isSame && receipt.headers['x-kernel-tenant-id'] === tenantId ? [] : ['does not say what was committed'];
}

/**
 * Signed again and compared: `verify` uses the current time as the arrival time, and some runs take longer than it
 * allows.
 */
function isSignedFor({ secret }: CrashEndpoint, { body, headers }: Receipt): boolean {
  const signedAt = new Date(1_000 * Number(headers['webhook-timestamp']));
  return headers['webhook-signature'] === new Webhook(secret).sign(headers['webhook-id'] as string, signedAt, body);
}

/** As `verify` of Standard Webhooks does on arrival. */
function isFresh({ headers, receivedAt }: Receipt): boolean {
  return Math.abs(receivedAt - 1_000 * Number(headers['webhook-timestamp'])) <= MAX_AGE_MS;
}
