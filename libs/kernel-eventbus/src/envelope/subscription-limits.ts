/**
 * What one endpoint may ask for. Every event of its types is evaluated against all of it, so its admin must not be able to slow
 * routing down for others. Endpoints that were stored before a limit keep what they have.
 */
export const MAX_SUBSCRIBED_TYPES = 500;
export const MAX_SUBSCRIPTIONS = 100;
/** Of one subscription. */
export const MAX_PREDICATES = 50;
/** Of all subscriptions of an endpoint together. */
export const MAX_ENDPOINT_PREDICATES = 100;
/** Of all subscriptions of an endpoint together, as JSON: routing reads them with every batch. */
export const MAX_SUBSCRIPTIONS_BYTES = 65_536;
export const MAX_LIST_VALUES = 100;
export const MAX_VALUE_LENGTH = 1_000;
export const MAX_PATH_LENGTH = 500;
export const MAX_PATH_STEPS = 32;

/** The message of a limit: what was given and what is allowed. */
export function tooMany(given: number, what: string, most: number): string {
  return `has ${given} ${what}; at most ${most} are allowed`;
}
