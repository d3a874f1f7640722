import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { Room } from '../delivery/slots.js';
import type { RoutedEvent } from '../telemetry/pipeline-observers.js';
import type { FirstOutcomes } from './first-outcomes.js';
import type { IsRepeatable } from './plain-plan.js';
import type { FannedOut } from './routed-batch.js';

/** What can be said of deliveries that are begun: when they are written, and who is to hear first what becomes of them. */
export interface Writing {
  written: Promise<void>;
  /** Set while the batch waits for outcomes to be written with it. */
  outcomes?: FirstOutcomes;
}

export const WRITTEN = Promise.resolve();

/** Is handed what may be sent. What becomes of it has to wait until it is written. */
export type BeginSending = (deliveries: ClaimedDelivery[], writing: Writing) => void;

export interface PlainFanOut extends FannedOut {
  events: (RoutedEvent & { tenantId: string; share?: number })[];
  /** How many events have to be judged one by one. */
  left: number;
}

export interface PlainFanOutOrder {
  limit: number;
  /** Set where more waits than a batch takes: tenants take turns, beginning behind this one. */
  afterTenantId: string | undefined;
  room: Room;
  workerId: string;
  leaseMs: number;
  isRepeatable: IsRepeatable;
}
