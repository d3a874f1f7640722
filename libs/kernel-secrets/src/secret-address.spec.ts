import { findSecretAddress, parseSecretAddress } from './secret-address.js';
import { InvalidSecretAddressError } from './secrets.errors.js';

const TENANT = '0b6f1f1e-6a52-4a3c-9d59-6d3f0a1c7b11';

describe('secret address', () => {
  it('knows a tenant by its lower-case id, however it is written', () => {
    const address = { tenantId: TENANT, alias: 'Billing' };
    expect(parseSecretAddress(TENANT.toUpperCase(), 'Billing')).toEqual(address);
    expect(findSecretAddress(TENANT.toUpperCase(), 'Billing')).toEqual(address);
  });

  it.each([
    ['tenantId', '../../etc', 'billing'],
    ['alias', TENANT, '../../etc'],
    ['alias', TENANT, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  ])('names the field that is wrong (%s) without repeating it', (path, tenantId, alias) => {
    const parse = () => parseSecretAddress(tenantId, alias);
    expect(parse).toThrow(InvalidSecretAddressError);
    expect(parse).toThrow(expect.objectContaining({ code: 'SECRET_ADDRESS_INVALID', path }));
    expect(parse).not.toThrow(/etc|MfKQ/);
    expect(findSecretAddress(tenantId, alias)).toBeUndefined();
  });
});
