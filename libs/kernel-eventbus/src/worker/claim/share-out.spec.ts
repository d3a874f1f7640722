import { EndpointCache } from '../../endpoints/endpoint-cache.js';
import type { Claim } from './claim.js';
import type { FoundQueue } from './due-queues.sql.js';
import { QueueRotation } from './queue-rotation.js';
import { shareOut } from './share-out.js';

const queue = (tenantId: string, endpointId: string, other: Partial<FoundQueue> = {}): FoundQueue => ({
  tenantId,
  endpointId,
  kind: 'PENDING',
  isDue: true,
  isActive: true,
  dispatcher: null,
  maxInFlight: null,
  isCircuitOpen: false,
  canProbe: false,
  isCut: false,
  isTenantCut: false,
  ...other,
});
const counts = (found: FoundQueue[], claim: Partial<Claim> = {}) => {
  const defaults = { limit: 12, perTenant: 12, perEndpoint: 10, prefetch: 1, exceptTenantIds: [] };
  const fixed = { workerId: 'w', leaseMs: 1, probeMs: 1, held: { endpointIds: [], counts: [] } };
  const endpoints = new EndpointCache();
  const { shares } = shareOut(found, { ...defaults, ...fixed, endpoints, ...claim }, new QueueRotation());
  return shares.map(({ tenantId, endpointId, kind, count }) => `${tenantId} ${endpointId} ${kind} ${count}`);
};

describe('shareOut', () => {
  it('gives tenants equal parts, and each of their endpoints', () => {
    expect(counts([queue('a', '1'), queue('b', '2'), queue('b', '3')])).toEqual([
      'a 1 PENDING 6',
      'b 2 PENDING 3',
      'b 3 PENDING 3',
    ]);
  });

  it('takes three first attempts for one retry', () => {
    expect(counts([queue('a', '1'), queue('a', '1', { kind: 'FAILED' })], { perTenant: 8 })).toEqual([
      'a 1 PENDING 6',
      'a 1 FAILED 2',
    ]);
  });

  it("keeps to an endpoint's places over all tenants", () => {
    expect(counts([queue('a', '1', { maxInFlight: 7 }), queue('b', '1', { maxInFlight: 7 })])).toEqual([
      'a 1 PENDING 6',
      'b 1 PENDING 1',
    ]);
  });

  it('sends one probe where a circuit is open, when it is due', () => {
    const open = { isCircuitOpen: true };
    expect(
      counts([queue('a', '1', { ...open, canProbe: true }), queue('b', '1', { ...open, canProbe: true })]),
    ).toEqual(['a 1 PENDING 1']);
    expect(counts([queue('a', '1', open)])).toEqual([]);
  });

  it('leaves out excepted tenants, and endpoints that this process cannot send to, unless they are disabled', () => {
    const found = [queue('a', '1'), queue('b', '2'), queue('c', '3', { isActive: false })];
    expect(counts(found, { exceptTenantIds: ['a'], canSend: () => false })).toEqual(['c 3 PENDING 10']);
  });
});
