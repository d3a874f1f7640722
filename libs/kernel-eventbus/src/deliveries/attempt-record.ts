import type { DeliveryStatus } from './webhook-delivery.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { DeadLetterReason } from '../judgement/judge-attempt.js';

/** The next state of a delivery, fenced by its lease, with the facts for the ledger. */
export interface AttemptRecord {
  delivery: ClaimedDelivery;
  status: DeliveryStatus;
  attempts: number;
  statusCode: number | null;
  /** Null: no further attempt is scheduled. */
  nextDelayMs: number | null;
  errorClass: string | null;
  error: string | null;
  errorRef: string | null;
  deadLetterReason: DeadLetterReason | null;
  /** Null: nothing was sent. */
  attempt: AttemptEntry | null;
  /** Ledger entry of an outcome without an attempt. Null: the attempt's entry carries it, or it is not noted. */
  unsent: UnsentEntry | null;
  /** Set on the last record of a lane's run: the lane is released in the same statement. */
  laneRelease?: LaneRelease;
}

/** Facts of an attempt's ledger entry besides those of the record. Its conclusion follows from the record's status. */
export interface AttemptEntry {
  entryId: string;
  kind: 'attempt';
  latencyMs: number;
  responseExcerpt: string | null;
  bodySha256: string | null;
  /** The dispatcher's word on the handoff, as JSON. */
  detailJson: string | null;
  policyId: string | null;
  policyVersion: number | null;
  removedPaths: number | null;
}

export interface UnsentEntry {
  entryId: string;
  kind: 'dead-lettered' | 'deferred';
}

export interface LaneRelease {
  laneId: string;
  laneEpoch: number;
  wakeCount: number;
  /**
   * `wait` for the head's next attempt, `block` on the dead letter at the head, `go-on` if more was left, else `rest`.
   */
  then: 'wait' | 'block' | 'go-on' | 'rest';
}
