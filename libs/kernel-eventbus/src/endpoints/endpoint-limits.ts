/** Defaults for endpoints without limits of their own, and the maximum that a tenant admin may set. */
export interface EndpointLimits {
  timeoutMs: number;
  maxTimeoutMs: number;
  perEndpointConcurrency: number;
  maxInFlightPerEndpoint: number;
}

type GivenLimits = { [Limit in keyof EndpointLimits]?: number | undefined } & { concurrency: number };

/**
 * No default exceeds the tenant admin's maximum: omitting a limit would otherwise give more than setting it. If one of
 * the two is given, the default of the other follows it.
 */
export function resolveEndpointLimits(given: GivenLimits): EndpointLimits {
  const maxTimeoutMs = given.maxTimeoutMs ?? Math.max(30_000, given.timeoutMs ?? 0);
  const maxInFlightPerEndpoint = given.maxInFlightPerEndpoint ?? Math.max(32, given.perEndpointConcurrency ?? 0);
  return {
    maxTimeoutMs,
    timeoutMs: given.timeoutMs ?? Math.min(15_000, maxTimeoutMs),
    maxInFlightPerEndpoint,
    perEndpointConcurrency:
      given.perEndpointConcurrency ?? Math.min(Math.ceil(given.concurrency / 2), maxInFlightPerEndpoint),
  };
}
