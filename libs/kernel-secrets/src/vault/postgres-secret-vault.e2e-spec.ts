import { randomBytes, randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { newMasterKey, openVault } from '../../test/open-vault.js';
import { InvalidSecretAddressError, InvalidSecretError } from '../secrets.errors.js';
import type { SecretVersion } from '../secrets-provider.js';
import { PostgresSecretVault } from './postgres-secret-vault.js';

describe('PostgresSecretVault', () => {
  it('makes a secret of 32 random bytes and gives it back to sign with', async () => {
    await using bundle = await openVault();
    const { vault, tenantId } = bundle;
    const stored = await vault.put({ tenantId, alias: 'billing' });
    expect(stored).toEqual({ alias: 'billing', version: 1, value: expect.anything() });
    expect(stored.value.reveal()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(reveal(await vault.liveVersions(tenantId, 'billing'))).toEqual([[1, stored.value.reveal()]]);
  });

  it('keeps a secret from outside and refuses one in another form', async () => {
    await using bundle = await openVault();
    const { vault, tenantId } = bundle;
    const value = `whsec_${randomBytes(24).toString('base64')}`;
    expect((await vault.put({ tenantId, alias: 'billing', value })).value.reveal()).toBe(value);
    for (const wrong of ['whsec_hunter2', 'whsk_hunter2', 'whpk_hunter2', 'two\nlines', '']) {
      await expect(vault.put({ tenantId, alias: 'billing', value: wrong })).rejects.toThrow(InvalidSecretError);
    }
    expect(await vault.liveVersions(tenantId, 'billing')).toHaveLength(1);
  });

  it('[KER-6c] refuses a secret in place of an alias and does not repeat it', async () => {
    await using bundle = await openVault();
    const alias = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const put = bundle.vault.put({ tenantId: bundle.tenantId, alias });
    await expect(put).rejects.toThrow(InvalidSecretAddressError);
    await expect(put).rejects.toThrow('an alias names a secret, it is not one');
    await expect(put).rejects.not.toThrow(alias);
  });

  it('signs with every version that is not revoked, newest first', async () => {
    await using bundle = await openVault();
    const { vault, tenantId } = bundle;
    const [first, , third] = [
      await vault.put({ tenantId, alias: 'billing' }),
      await vault.put({ tenantId, alias: 'billing' }),
      await vault.put({ tenantId, alias: 'billing' }),
    ];
    await vault.revoke(tenantId, 'billing', 2);
    expect(reveal(await vault.liveVersions(tenantId, 'billing'))).toEqual([
      [3, third.value.reveal()],
      [1, first.value.reveal()],
    ]);
  });

  it('has no live version for an unknown or wholly revoked alias, and none at an impossible address', async () => {
    await using bundle = await openVault();
    const { vault, tenantId } = bundle;
    await vault.put({ tenantId, alias: 'billing' });
    await vault.revoke(tenantId, 'billing', 1);
    expect(await vault.liveVersions(tenantId, 'billing')).toEqual([]);
    expect(await vault.liveVersions(tenantId, 'unknown')).toEqual([]);
    expect(await vault.liveVersions(tenantId, '../billing')).toEqual([]);
    expect(await vault.liveVersions('no-uuid', 'billing')).toEqual([]);
  });

  it('keeps tenants apart and knows a tenant in upper case', async () => {
    await using bundle = await openVault();
    const { vault, tenantId } = bundle;
    const { value } = await vault.put({ tenantId: tenantId.toUpperCase(), alias: 'billing' });
    expect(reveal(await vault.liveVersions(tenantId, 'billing'))).toEqual([[1, value.reveal()]]);
    expect(await vault.liveVersions(randomUUID(), 'billing')).toEqual([]);
  });

  it('says what kind of secret an alias holds: only while a version is live', async () => {
    await using bundle = await openVault();
    const { vault, tenantId } = bundle;
    expect(await vault.kindOf(tenantId, 'billing')).toBeUndefined();
    await vault.put({ tenantId, alias: 'billing' });
    expect(await vault.kindOf(tenantId, 'billing')).toBe('hmac');
    expect(await vault.kindOf(randomUUID(), 'billing')).toBeUndefined();
    expect(await vault.kindOf(tenantId, '../billing')).toBeUndefined();
    await vault.revoke(tenantId, 'billing', 1);
    expect(await vault.kindOf(tenantId, 'billing')).toBeUndefined();
  });

  it('revokes a version once, does not reuse its number and answers no to what is not there', async () => {
    await using bundle = await openVault();
    const { vault, tenantId } = bundle;
    await vault.put({ tenantId, alias: 'billing' });
    expect(await vault.revoke(tenantId, 'billing', 1)).toBe(true);
    for (const version of [1, 2, 0, 1.5, Number.NaN, 2 ** 31]) {
      expect(await vault.revoke(tenantId, 'billing', version)).toBe(false);
    }
    expect(await vault.revoke(randomUUID(), 'billing', 1)).toBe(false);
    expect((await vault.put({ tenantId, alias: 'billing' })).version).toBe(2);
  });

  it('numbers versions without a gap when many are put at the same time', async () => {
    await using bundle = await openVault();
    const { vault, orm, tenantId } = bundle;
    const alone = Array.from({ length: 6 }, () => vault.put({ tenantId, alias: 'billing' }));
    const joined = Array.from({ length: 6 }, () =>
      orm.em.fork().transactional((em) => vault.put({ tenantId, alias: 'billing' }, em)),
    );
    const stored = await Promise.all([...alone, ...joined]);
    const versions = stored.map(({ version }) => version).sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    const byVersion = new Map(stored.map(({ version, value }) => [version, value.reveal()]));
    const live = reveal(await vault.liveVersions(tenantId, 'billing'));
    expect(live).toEqual([...byVersion].sort(([a], [b]) => b - a));
  });

  it('never prints a secret: not by what it returns, not by itself', async () => {
    await using bundle = await openVault();
    const { vault, tenantId } = bundle;
    const stored = await vault.put({ tenantId, alias: 'billing' });
    const live = await vault.liveVersions(tenantId, 'billing');
    for (const printed of [stored, stored.value, live, live[0]!.value, vault]) {
      const text = `${printed} ${JSON.stringify(printed)} ${inspect(printed, { depth: 4, showHidden: true })}`;
      expect(text).not.toContain(stored.value.reveal().slice(6, 30));
    }
  });

  it('answers with the secret of a vault opened later under the same master key only', async () => {
    await using bundle = await openVault();
    const { vault, orm, tenantId, masterKey } = bundle;
    const { value } = await vault.put({ tenantId, alias: 'billing' });
    const same = await new PostgresSecretVault(orm.em, masterKey).liveVersions(tenantId, 'billing');
    expect(reveal(same)).toEqual([[1, value.reveal()]]);
    const wrong = new PostgresSecretVault(orm.em, newMasterKey()).liveVersions(tenantId, 'billing');
    await expect(wrong).rejects.toMatchObject({ code: 'SECRET_UNDECRYPTABLE' });
  });
});

function reveal(versions: SecretVersion[]): [number, string][] {
  return versions.map(({ version, value }) => [version, value.reveal()]);
}
