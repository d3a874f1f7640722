import { randomUUID } from 'node:crypto';
import type { PublishableEvent } from '@kernel/eventbus';
import { JSONB_BLANKS, makePayload, streamOf } from '../webhook/event.ts';
import type { Target } from '../webhook/webhook-poster.ts';
import type { BenchEndpoint, KernelApp } from './kernel-app.ts';

const TENANTS = Array.from({ length: 20 }, (_, n) => `0198c000-0000-7000-8000-${String(n).padStart(12, '0')}`);
/** Of each ordered endpoint. */
const STREAMS = 100;

/** A quarter of the endpoints each. Every predicate matches and every policy keeps most of the payload. */
const KINDS: Pick<BenchEndpoint, 'type' | 'ordering' | 'policy' | 'subscription'>[] = [
  { type: 'fleet.plain.v1' },
  { type: 'fleet.ordered.v1', ordering: 'stream' },
  {
    type: 'fleet.external.v1',
    policy: [
      { path: '$.currency', action: 'keep' },
      { path: '$.invoiceId', action: 'hash' },
      { path: '$.lines', action: 'keep' },
      { path: '$.note', action: 'keep' },
    ],
  },
  {
    type: 'fleet.filtered.v1',
    subscription: {
      match: 'all',
      predicates: [
        { path: '$.currency', operator: 'in', value: ['EUR', 'CHF'] },
        { path: '$.lines[*].amount', operator: 'greater', value: 1_000 },
      ],
    },
  },
];

/** Four endpoints for each tenant, one of each kind, each with its own type: one delivery per event. */
export async function addFleet(kernel: KernelApp, target: Target): Promise<void> {
  for (const tenantId of TENANTS) {
    for (const kind of KINDS) {
      await kernel.addEndpoint({ ...target, ...kind, tenantId });
    }
  }
}

/** Endpoints take turns. */
export function makeFleetEvent(place: number): PublishableEvent {
  const tenant = place % TENANTS.length;
  const turn = Math.floor(place / TENANTS.length);
  const { type, ordering } = KINDS[turn % KINDS.length]!;
  const stream = ordering === 'stream' ? streamOf(turn, STREAMS * KINDS.length) : randomUUID();
  return {
    type,
    tenantId: TENANTS[tenant]!,
    streamKey: `${tenant}:${stream}`,
    traceId: randomUUID().replaceAll('-', ''),
    payload: makePayload(JSONB_BLANKS),
  };
}
