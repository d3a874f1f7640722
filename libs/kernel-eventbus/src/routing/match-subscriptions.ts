import type { Predicate, Subscription } from '../envelope/subscription.js';

/** Whether the event is wanted and, if not, the predicates that stood in its way. */
export type SubscriptionMatch = { isMatch: true } | { isMatch: false; failed: readonly Predicate[] };

const MATCH: SubscriptionMatch = { isMatch: true };

/**
 * The entries of one type: none wants every event, of several any one has to match. A step at a time, one per predicate: a path may
 * name as many values as a payload has.
 */
export function* matchSubscriptions(
  entries: readonly Subscription[],
  holds: (predicate: Predicate) => boolean,
): Generator<void, SubscriptionMatch> {
  if (entries.length === 0 || entries.some(({ predicates }) => predicates.length === 0)) {
    return MATCH;
  }
  const failed: Predicate[] = [];
  for (const entry of entries) {
    const obstacles = yield* findObstacles(entry, holds);
    if (obstacles.length === 0) {
      return MATCH;
    }
    failed.push(...obstacles);
  }
  return { isMatch: false, failed };
}

/** Of `all` the first that fails, of `any` all of them when none holds. */
function* findObstacles(
  { match, predicates }: Subscription,
  holds: (predicate: Predicate) => boolean,
): Generator<void, readonly Predicate[]> {
  for (const predicate of predicates) {
    const isHolding = holds(predicate);
    if (isHolding === (match === 'any')) {
      return isHolding ? [] : [predicate];
    }
    yield;
  }
  return match === 'any' ? predicates : [];
}
