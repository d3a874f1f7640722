import { AdminPrincipal } from '../access/admin-principal.js';
import { LISTENER_LIMITS, type ListenerOwner, refuseListener } from './listener-limits.js';

const { ofTenants, perTenant, perToken, total } = LISTENER_LIMITS;

function ownerOf(tenantId: string | null, token: string): ListenerOwner {
  const role = tenantId === null ? 'operator' : 'tenant-admin';
  return { token, principal: new AdminPrincipal({ actor: token, role, tenantId }) };
}

const many = (count: number, toOwner: (n: number) => ListenerOwner) =>
  Array.from({ length: count }, (_, n) => toOwner(n));

describe('refuseListener', () => {
  it('refuses the token, then the tenant, that has its share', () => {
    const ofToken = many(perToken, () => ownerOf('a', 'one'));
    expect(refuseListener(ofToken, ownerOf('a', 'one'))?.facts).toMatchObject({ status: 429 });
    expect(refuseListener(ofToken, ownerOf('a', 'two'))).toBeUndefined();

    const ofTenant = many(perTenant, (n) => ownerOf('a', `token ${n}`));
    expect(refuseListener(ofTenant, ownerOf('a', 'another'))?.facts).toMatchObject({ status: 429 });
    expect(refuseListener(ofTenant, ownerOf('b', 'another'))).toBeUndefined();
  });

  it('leaves a reserve to operators, and ends at the total', () => {
    const ofMany = many(ofTenants, (n) => ownerOf(`tenant ${n}`, `token ${n}`));
    expect(refuseListener(ofMany, ownerOf('another', 'another'))?.facts).toMatchObject({ status: 503 });
    expect(refuseListener(ofMany, ownerOf(null, 'ops'))).toBeUndefined();

    const all = [...ofMany, ...many(total - ofTenants, (n) => ownerOf(null, `ops ${n}`))];
    expect(refuseListener(all, ownerOf(null, 'another'))?.facts).toMatchObject({ status: 503 });
  });
});
