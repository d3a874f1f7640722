import type { Delivery } from '../connection/responses.ts';

export interface Stage {
  name: string;
  state: 'done' | 'here' | 'failed' | 'ahead';
  at: string | null;
  note: string;
}

type Known = Pick<
  Delivery,
  | 'status'
  | 'attempts'
  | 'isParked'
  | 'nextAttemptAt'
  | 'dispatchedAt'
  | 'settledAt'
  | 'errorClass'
  | 'deadLetterReason'
>;

/** The stages of a delivery: published, routed, sent, finished. The event is null when it is past its retention. */
export function pipelineStages(delivery: Known, event: { createdAt: string } | null): Stage[] {
  return [
    { name: 'Published', state: 'done', at: event?.createdAt ?? null, note: 'committed with its transaction' },
    { name: 'Routed', state: 'done', at: delivery.dispatchedAt, note: 'matched this endpoint' },
    sendStage(delivery),
    settledStage(delivery),
  ];
}

function sendStage({ status, attempts, isParked, nextAttemptAt, errorClass }: Known): Stage {
  const tried = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const stage = { name: 'Sent', at: null };
  if (status === 'DELIVERED') return { ...stage, state: 'done', note: tried };
  if (status === 'DLQ') return { ...stage, state: 'failed', note: `${tried}, ${errorClass ?? 'given up'}` };
  if (isParked) return { ...stage, state: 'here', note: 'parked until the endpoint is enabled' };
  if (status === 'FAILED') {
    return { ...stage, state: 'here', at: nextAttemptAt ?? null, note: `${tried} failed, the next is planned` };
  }
  return { ...stage, state: 'here', at: nextAttemptAt ?? null, note: 'waits for a worker' };
}

function settledStage({ status, settledAt, deadLetterReason }: Known): Stage {
  switch (status) {
    case 'DELIVERED':
      return { name: 'Delivered', state: 'done', at: settledAt, note: 'the endpoint took it' };
    case 'DLQ':
      return { name: 'Dead letter', state: 'failed', at: settledAt, note: deadLetterReason ?? 'waits for a decision' };
    default:
      return { name: 'Delivered', state: 'ahead', at: null, note: '' };
  }
}
