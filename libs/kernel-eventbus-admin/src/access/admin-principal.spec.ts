import { AdminPrincipal } from './admin-principal.js';

const OWN = '11111111-1111-1111-1111-111111111111';
const FOREIGN = '22222222-2222-2222-2222-222222222222';

describe('AdminPrincipal', () => {
  it('lets an operator at every tenant, or at the one that is asked for', () => {
    const operator = new AdminPrincipal({ actor: 'ops', role: 'operator', tenantId: null });
    expect(operator.scopeTo(undefined)).toBeUndefined();
    expect(operator.scopeTo(FOREIGN)).toBe(FOREIGN);
  });

  it('[KER-T] holds a tenant admin to his own tenant', () => {
    const admin = new AdminPrincipal({ actor: 'acme', role: 'tenant-admin', tenantId: OWN });
    expect(admin.scopeTo(undefined)).toBe(OWN);
    expect(admin.scopeTo(OWN)).toBe(OWN);
    expect(() => admin.scopeTo(FOREIGN)).toThrow('another tenant');
  });

  it('[KER-T] does not exist as a tenant admin without a tenant, who would see all of them', () => {
    expect(() => new AdminPrincipal({ actor: 'acme', role: 'tenant-admin', tenantId: null })).toThrow('one tenant');
    expect(() => new AdminPrincipal({ actor: 'ops', role: 'operator', tenantId: OWN })).toThrow('operator none');
  });
});
