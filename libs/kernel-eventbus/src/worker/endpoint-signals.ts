import type { EndpointChange } from '../runtime/wake-up.js';

/** Time left to attempts in flight after their endpoint was disabled. */
const DISABLED_GRACE_MS = 1_000;

/** Attempts to one endpoint that are aborted together. */
class Flight {
  readonly controller = new AbortController();
  attempts = 0;
  timer: NodeJS.Timeout | undefined;

  /** `version`: the newest version of the endpoint's row that these attempts began with or were told of. */
  constructor(
    readonly endpointId: string,
    public version: string,
  ) {}
}

export type { Flight };

/** One abort signal for all attempts in flight to an endpoint. Attempts that begin after a change get a new one. */
export class EndpointSignals {
  readonly #current = new Map<string, Flight>();
  readonly #all = new Set<Flight>();
  #isStopped = false;

  /** Attempts in flight, including those that wait for a place. */
  get flights(): Flight[] {
    return [...this.#all];
  }

  async during<T>(endpointId: string, version: string, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const flight = this.join(endpointId, version);
    flight.attempts++;
    try {
      return await attempt(flight.controller.signal);
    } finally {
      flight.attempts--;
      if (flight.attempts === 0) {
        this.end(flight);
      }
    }
  }

  /** Aborts attempts to a deleted endpoint at once, and to a disabled one after a second unless it is enabled again. */
  hear({ endpointId, state }: EndpointChange): void {
    const flights = [...this.#all].filter((flight) => flight.endpointId === endpointId);
    if (state !== undefined) {
      this.#current.delete(endpointId);
    }
    if (state === 'enabled') {
      flights.forEach((flight) => {
        clearTimeout(flight.timer);
        flight.timer = undefined;
      });
    }
    if (state === 'deleted') {
      flights.forEach(({ controller }) => controller.abort());
    }
    if (state === 'disabled') {
      flights.forEach((flight) => {
        // A repeated notice does not delay the abort.
        flight.timer ??= setTimeout(() => flight.controller.abort(), DISABLED_GRACE_MS).unref();
      });
    }
  }

  /** Aborts all attempts in flight and all that begin from now on. */
  stop(): void {
    this.#isStopped = true;
    this.#all.forEach(({ controller }) => controller.abort());
  }

  private join(endpointId: string, version: string): Flight {
    let flight = this.#current.get(endpointId);
    if (flight?.version !== version) {
      flight = new Flight(endpointId, version);
      this.#current.set(endpointId, flight);
      this.#all.add(flight);
      if (this.#isStopped) {
        flight.controller.abort();
      }
    }
    return flight;
  }

  private end(flight: Flight): void {
    clearTimeout(flight.timer);
    this.#all.delete(flight);
    if (this.#current.get(flight.endpointId) === flight) {
      this.#current.delete(flight.endpointId);
    }
  }
}
