import type { ComponentChildren } from 'preact';
import type { DeliveryStatus } from '../connection/responses.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'quiet' | 'accent';

export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`badge is-${tone}`}>{children}</span>;
}

const LOOKS: Record<DeliveryStatus, [Tone, string]> = {
  PENDING: ['accent', 'Pending'],
  DELIVERED: ['good', 'Delivered'],
  FAILED: ['warn', 'Retrying'],
  DLQ: ['bad', 'Dead letter'],
};

export function StatusBadge({ status, isParked }: { status: DeliveryStatus; isParked?: boolean }) {
  const [tone, text] = LOOKS[status];
  return isParked ? <Badge tone="quiet">Parked</Badge> : <Badge tone={tone}>{text}</Badge>;
}
