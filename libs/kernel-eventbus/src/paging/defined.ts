/** A filter without its undefined conditions. */
export function defined<T extends object>(conditions: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined)) as never;
}
