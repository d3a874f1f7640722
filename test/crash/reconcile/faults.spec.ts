import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { CrashEndpoint } from '../crash-run.js';
import type { JournalRow } from '../programs/journal.sql.js';
import type { Receipt } from '@kernel/test-support/recording-receiver';
import { findOrderFaults } from './order-faults.js';
import { findReceiptFaults } from './receipt-faults.js';

const tenantId = randomUUID();
const endpoint: CrashEndpoint = {
  name: 'one',
  tenantId,
  types: ['a.v1'],
  ordering: 'stream',
  endpointId: randomUUID(),
  secret: `whsec_${Buffer.alloc(32, 'crash').toString('base64')}`,
};

const committed = (place: number, row: Partial<JournalRow> = {}): JournalRow => ({
  eventId: randomUUID(),
  tenantId,
  streamKey: 's',
  type: 'a.v1',
  place,
  ...row,
});

function receipt(
  { place, ...row }: JournalRow,
  previous?: number,
  secret = endpoint.secret,
  { deliveryId = row.eventId, dispatchedAt = '2026-01-01T00:00:00.000Z', note = '' } = {},
): Receipt {
  const body = JSON.stringify({ ...row, payload: { place }, dispatchedAt, note });
  const now = new Date();
  return {
    endpoint: endpoint.name,
    body,
    receivedAt: now.getTime(),
    headers: {
      'webhook-id': row.eventId,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(row.eventId, now, body),
      'x-kernel-delivery-id': deliveryId,
      'x-kernel-tenant-id': row.tenantId,
      'x-kernel-stream-key': row.streamKey,
      'x-kernel-stream-sequence': String(place),
      ...(previous !== undefined && { 'x-kernel-previous-sequence': String(previous) }),
    },
  };
}

/** A check that never fails proves nothing: every possible fault of a run is shown here. */
describe('the reconciliation', () => {
  const [first, third, fourth] = [committed(1), committed(3), committed(4)];
  const journal = [first, third, fourth];
  const routedAgain = { deliveryId: randomUUID(), dispatchedAt: '2026-01-01T00:00:01.000Z' };
  const whole = [receipt(first), receipt(third, 1), receipt(fourth, 3)];
  const faultsOf = (receipts: Receipt[], rows = journal) => [
    ...findReceiptFaults(rows, [endpoint], receipts),
    ...findOrderFaults(rows, [endpoint], receipts),
  ];

  it('is content with everything in order, and with repeats', () => {
    expect(faultsOf(whole)).toEqual([]);
    expect(faultsOf([...whole, receipt(first), receipt(fourth, 3)])).toEqual([]);
    expect(faultsOf([...whole, receipt(first, undefined, undefined, routedAgain)])).toEqual([]);
  });

  const arrivedAfter = (ms: number): Receipt => ({ ...whole[0]!, receivedAt: whole[0]!.receivedAt + ms });
  it.each<[string, Receipt[], string]>([
    ['an old signature', [...whole, arrivedAfter(302_000)], 'was signed more than five minutes before'],
    ['a signature of the future', [...whole, arrivedAfter(-302_000)], 'was signed more than five minutes before'],
    ['what never arrived', whole.slice(0, 2), 'never arrived'],
    ['what was not committed', [...whole, receipt(committed(5), 4)], 'was not committed'],
    [
      'another tenant’s event',
      [...whole, receipt(committed(5, { tenantId: randomUUID() }), 4)],
      'none of its business',
    ],
    ['a repeat with another body', [...whole, { ...whole[0]!, body: `${whole[0]!.body} ` }], 'with another body'],
    [
      'a repeat of the same delivery with another time',
      [...whole, receipt(first, undefined, undefined, { dispatchedAt: routedAgain.dispatchedAt })],
      'with another body',
    ],
    [
      'an event routed again with another body',
      [...whole, receipt(first, undefined, undefined, { ...routedAgain, note: 'other' })],
      'with another body',
    ],
    ['another endpoint’s signature', [...whole, receipt(first, undefined, `whsec_${'A'.repeat(32)}`)], 'not signed'],
    ['other content', [...whole, receipt({ ...first, place: 9 })], 'does not say what was committed'],
    ['a later one first', [whole[0]!, whole[2]!, whole[1]!], 'came too late'],
    ['a wrong previous sequence', [whole[0]!, receipt(third, 2), whole[2]!], 'says that #2 came before it'],
    ['a wrong previous sequence of a repeat', [...whole, receipt(third, 4)], 'says that #4 came before it'],
  ])('finds %s', (_what, receipts, fault) => {
    expect(faultsOf(receipts).join('\n')).toContain(fault);
  });
});
