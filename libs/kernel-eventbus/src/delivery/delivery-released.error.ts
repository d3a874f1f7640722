import type { Settlement } from './settlement.js';

/** The delivery goes back to the queue, and no attempt is used up. */
export class DeliveryReleasedError extends Error {
  /** `aborted`: the attempt that was under way, for the ledger. */
  constructor(readonly aborted?: Settlement) {
    super('released without using up an attempt');
    this.name = 'DeliveryReleasedError';
  }
}
