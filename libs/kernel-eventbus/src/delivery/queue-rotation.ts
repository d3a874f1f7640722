export const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/** Tenants with more endpoints than one claim serves, whose position is kept. */
const MAX_POSITIONS = 1_000;

/** One tenant's deliveries or lanes for one endpoint. */
export interface QueueKey {
  tenantId: string;
  endpointId: string;
}

/** Where the last claim of a worker ended, so that the next one begins behind it: at a tenant, and at an endpoint of each tenant. */
export class QueueRotation {
  #tenantId = LOWEST_ID;
  #turn = 0;
  readonly #endpoints = new Map<string, string>();

  get afterTenantId(): string {
    return this.#tenantId;
  }

  /** The endpoint behind which the tenant's next turn begins, where the last one did not serve all of them. */
  get afterEndpoints(): { tenantIds: string[]; endpointIds: string[] } {
    return { tenantIds: [...this.#endpoints.keys()], endpointIds: [...this.#endpoints.values()] };
  }

  /** Each fourth turn, a queue that gets one delivery gets a retry, if there are first attempts too. */
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

  /** The claim is over. Without a tenant, all were served. */
  endAt(tenantId: string | undefined): void {
    this.#tenantId = tenantId ?? this.#tenantId;
    this.#turn++;
  }

  /** The tenant's turn ended at this endpoint; undefined: all of its endpoints were served. */
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
