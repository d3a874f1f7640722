/** Places on top of a limit, for tenants that hold none: a quarter. */
export function reserveOf(limit: number): number {
  return Math.ceil(limit / 4);
}
