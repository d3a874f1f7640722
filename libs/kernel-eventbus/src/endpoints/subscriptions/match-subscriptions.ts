import type { Predicate, Subscription } from '../subscription.js';

/** Whether the event matches and, if not, the predicates that failed. */
export type SubscriptionMatch = { isMatch: true } | { isMatch: false; failed: readonly Predicate[] };

const MATCH: SubscriptionMatch = { isMatch: true };

/**
 * Matches the entries of one type: without entries every event matches, of several any one is enough. Yields after each
 * predicate, because a path may select as many values as a payload has.
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

/** For `all` the first predicate that fails; for `any` all of them if none holds. */
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
