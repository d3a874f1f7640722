export const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/** Maximum of tenants whose position is kept: those with more endpoints than one claim serves. */
const MAX_POSITIONS = 1_000;

/** One tenant's deliveries or lanes for one endpoint. */
export interface QueueKey {
  tenantId: string;
  endpointId: string;
}

/**
 * Position at which a worker's last claim ended, by tenant and by endpoint of each tenant. The next claim begins behind
 * it.
 */
export class QueueRotation {
  #tenantId = LOWEST_ID;
  #turn = 0;
  readonly #endpoints = new Map<string, string>();

  get afterTenantId(): string {
    return this.#tenantId;
  }

  /** For tenants whose last turn did not serve all endpoints: the endpoint behind which the next turn begins. */
  get afterEndpoints(): { tenantIds: string[]; endpointIds: string[] } {
    return { tenantIds: [...this.#endpoints.keys()], endpointIds: [...this.#endpoints.values()] };
  }

  /** True in every fourth turn: a queue with a single place gets a retry before first attempts. */
  get isRetriesTurn(): boolean {
    return this.#turn % 4 === 3;
  }

  compareTenants(one: string, other: string): number {
    return compareInTurn(this.#tenantId, one, other);
  }

  compare(one: QueueKey, other: QueueKey): number {
    return (
      this.compareTenants(one.tenantId, other.tenantId) ||
      compareInTurn(this.#endpoints.get(one.tenantId) ?? LOWEST_ID, one.endpointId, other.endpointId)
    );
  }

  /** Ends the claim. Undefined: all tenants were served. */
  endAt(tenantId: string | undefined): void {
    this.#tenantId = tenantId ?? this.#tenantId;
    this.#turn++;
  }

  /** Ends the tenant's turn at this endpoint. Undefined: all of its endpoints were served. */
  endTenantAt(tenantId: string, endpointId: string | undefined): void {
    this.#endpoints.delete(tenantId);
    if (endpointId !== undefined) {
      this.#endpoints.set(tenantId, endpointId);
    }
    if (this.#endpoints.size > MAX_POSITIONS) {
      this.#endpoints.delete(this.#endpoints.keys().next().value!);
    }
  }
}

/** Ids in order, those behind `after` first. */
function compareInTurn(after: string, one: string, other: string): number {
  const lap = Number(one <= after) - Number(other <= after);
  return lap || Number(one > other) - Number(one < other);
}
