import type { AttemptRecord } from '../deliveries/attempt-record.js';

/** The delivery returns to the queue; no attempt is used up. */
export class DeliveryReleasedError extends Error {
  /** `aborted`: the attempt in progress, for the ledger. */
  constructor(readonly aborted?: AttemptRecord) {
    super('released without using up an attempt');
    this.name = 'DeliveryReleasedError';
  }
}
