/** Finds the fields that a predicate's path names. The host may bring one that speaks another language of paths. */
export interface FieldSelector {
  /** What is wrong with a path and what is allowed, or undefined. Asked when a subscription is configured. */
  check(path: string): string | undefined;
  /** Every value at the path; none where the field is missing. Asked once per event and path: all predicates share the answer. */
  select(payload: unknown, path: string): unknown[];
}
