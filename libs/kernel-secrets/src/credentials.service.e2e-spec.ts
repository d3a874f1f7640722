import { openVault } from '../test/open-vault.js';
import { CredentialsService } from './credentials.service.js';
import { CredentialNotFoundError } from './secrets.errors.js';

describe('CredentialsService', () => {
  it('gives the newest live credential', async () => {
    await using bundle = await openVault();
    const { vault, tenantId } = bundle;
    const credentials = new CredentialsService(vault);
    await vault.put({ tenantId, alias: 'partner', value: 'Bearer one' });
    await vault.put({ tenantId, alias: 'partner', value: 'Bearer two' });
    expect((await credentials.current(tenantId, 'partner')).reveal()).toBe('Bearer two');
    await vault.revoke(tenantId, 'partner', 2);
    expect((await credentials.current(tenantId, 'partner')).reveal()).toBe('Bearer one');
    await vault.revoke(tenantId, 'partner', 1);
    await expect(credentials.current(tenantId, 'partner')).rejects.toThrow(CredentialNotFoundError);
  });

  it('[KER-6c] never gives out what signs', async () => {
    await using bundle = await openVault();
    const { vault, tenantId } = bundle;
    for (const kind of ['hmac', 'ed25519'] as const) {
      await vault.put({ tenantId, alias: kind, kind });
      await expect(new CredentialsService(vault).current(tenantId, kind)).rejects.toMatchObject({
        code: 'CREDENTIAL_NOT_FOUND',
      });
    }
  });
});
