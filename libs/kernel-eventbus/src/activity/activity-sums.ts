import { addCounts, noActivity, type ActivityCounts } from './activity-counts.js';
import { ALL } from './activity-scope.js';

export interface ActivitySum extends ActivityCounts {
  tenantId: string;
  endpointId: string;
}

/** Sums by tenant and endpoint. */
export class ActivitySums {
  readonly #sums = new Map<string, ActivitySum>();

  get isEmpty(): boolean {
    return this.#sums.size === 0;
  }

  /** The sum to count on. Activity without an endpoint is counted under the tenant and `ALL`. */
  of(tenantId: string, endpointId: string): ActivitySum {
    const key = tenantId + endpointId;
    let sum = this.#sums.get(key);
    if (!sum) {
      sum = { tenantId, endpointId, ...noActivity() };
      this.#sums.set(key, sum);
    }
    return sum;
  }

  add(sums: ActivitySums): void {
    for (const sum of sums.#sums.values()) {
      addCounts(this.of(sum.tenantId, sum.endpointId), sum);
    }
  }

  /** Sums per endpoint, per tenant and over all tenants. */
  rolledUp(): ActivitySum[] {
    const rolled = new ActivitySums();
    for (const sum of this.#sums.values()) {
      addCounts(rolled.of(ALL, ALL), sum);
      addCounts(rolled.of(sum.tenantId, ALL), sum);
      if (sum.endpointId !== ALL) {
        addCounts(rolled.of(sum.tenantId, sum.endpointId), sum);
      }
    }
    return [...rolled.#sums.values()];
  }
}
