import { refusals, type RequestRefusedError } from '../eventbus.refusals.js';
import type { Refusal } from './operations/operation.service.js';

/** The refusal of an operation, in words. */
export function toRefusal(refusal: Refusal): RequestRefusedError {
  switch (refusal.kind) {
    case 'endpoint-not-found':
      return refusals.notFound('endpoint');
    case 'endpoint-deleted':
      return refusals.conflict('this endpoint was deleted, so nothing can be sent there again');
    case 'past-retention':
      return refusals.invalid('since', `lies before what is kept: events are kept for ${refusal.days} days`);
    case 'too-many':
      return refusals.conflict(
        `this is about more than ${refusal.limit} deliveries, which is the most for one operation: narrow it down by time, type or endpoint`,
      );
    case 'too-many-open':
      return refusals.conflict(`${refusal.limit} operations are under way already: wait for one to end, or cancel it`);
    case 'count-took-too-long':
      return refusals.tookTooLong(
        `to count what this is about took the database more than ${refusal.timeoutMs} ms, and nothing was done: narrow it down by time, type, tenant or endpoint`,
      );
  }
}
