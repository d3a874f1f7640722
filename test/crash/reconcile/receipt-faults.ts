import { Webhook } from 'standardwebhooks';
import type { CrashEndpoint } from '../crash-run.js';
import type { JournalRow } from '../programs/journal.sql.js';
import type { Receipt } from '../recording-receiver.js';

/** Everything committed arrived where it belongs; nothing else arrived anywhere; a repeat is the same to the last byte. */
export function findReceiptFaults(
  journal: readonly JournalRow[],
  endpoints: readonly CrashEndpoint[],
  receipts: readonly Receipt[],
): string[] {
  return endpoints.flatMap((endpoint) => {
    const wanted = new Map(journal.filter((row) => isWantedBy(row, endpoint)).map((row) => [row.eventId, row]));
    const arrived = receipts.filter((receipt) => receipt.endpoint === endpoint.name);
    const bodies = new Map<string, string>();
    const faults = arrived.flatMap((receipt) => {
      const eventId = receipt.headers['webhook-id'] as string;
      const first = bodies.get(eventId) ?? receipt.body;
      bodies.set(eventId, first);
      const row = wanted.get(eventId);
      return [
        ...(row ? contentFaults(receipt, row) : ['was not committed, or is none of its business']),
        ...(receipt.body === first ? [] : ['was repeated with another body']),
        ...(isSignedFor(endpoint, receipt) ? [] : ['is not signed with its secret']),
      ].map((fault) => `${endpoint.name}: ${eventId} ${fault}`);
    });
    const missing = [...wanted.keys()].filter((eventId) => !bodies.has(eventId));
    return [...faults, ...missing.map((eventId) => `${endpoint.name}: ${eventId} never arrived`)];
  });
}

export function isWantedBy(row: JournalRow, endpoint: CrashEndpoint): boolean {
  return row.tenantId === endpoint.tenantId && endpoint.types.includes(row.type);
}

function contentFaults(receipt: Receipt, { eventId, tenantId, streamKey, type, place }: JournalRow): string[] {
  const body = JSON.parse(receipt.body) as Record<string, unknown>;
  const told = { eventId, tenantId, streamKey, type, payload: { place } };
  const isSame = Object.entries(told).every(([key, value]) => JSON.stringify(body[key]) === JSON.stringify(value));
  return isSame && receipt.headers['x-kernel-tenant-id'] === tenantId ? [] : ['does not say what was committed'];
}

function isSignedFor({ secret }: CrashEndpoint, { body, headers }: Receipt): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
