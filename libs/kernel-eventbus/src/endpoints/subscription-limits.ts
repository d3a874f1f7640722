/**
 * Limits of one endpoint. Every event of its types is evaluated against all of its subscriptions, so its admin must not
 * be able to slow down routing for others. Endpoints stored before a limit keep their values.
 */
export const MAX_SUBSCRIBED_TYPES = 500;
export const MAX_SUBSCRIPTIONS = 100;
/** Per subscription. */
export const MAX_PREDICATES = 50;
/** Over all subscriptions of an endpoint. */
export const MAX_ENDPOINT_PREDICATES = 100;
/** Over all subscriptions of an endpoint, as JSON: workers keep them in memory. */
export const MAX_SUBSCRIPTIONS_BYTES = 65_536;
export const MAX_LIST_VALUES = 100;
export const MAX_VALUE_LENGTH = 1_000;
export const MAX_PATH_LENGTH = 500;
export const MAX_PATH_STEPS = 32;

/** Message of a limit, with the given and the allowed number. */
export function tooMany(given: number, what: string, most: number): string {
  return `has ${given} ${what}; at most ${most} are allowed`;
}
