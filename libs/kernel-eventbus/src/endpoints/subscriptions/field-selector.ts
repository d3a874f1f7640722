/** Selects the fields that a predicate's path names. The host may supply one with another path language. */
export interface FieldSelector {
  /** The problem with a path and the allowed syntax, or undefined. Called when a subscription is configured. */
  check(path: string): string | undefined;
  /** Every value at the path; empty if the field is missing. Called once per event and path for all predicates. */
  select(payload: unknown, path: string): unknown[];
}
