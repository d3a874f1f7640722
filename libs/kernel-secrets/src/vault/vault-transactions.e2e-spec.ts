import { openVault } from '../../test/open-vault.js';
import { SecretsUnavailableError } from '../secrets.errors.js';
import { PostgresSecretVault } from './postgres-secret-vault.js';

describe('the vault and transactions', () => {
  it('writes within the transaction of the em it is handed and leaves the end to the caller', async () => {
    await using bundle = await openVault();
    const { vault, orm, database, tenantId } = bundle;
    const em = orm.em.fork();
    await em.begin();
    await vault.put({ tenantId, alias: 'billing' }, em);
    expect(em.isInTransaction()).toBe(true);
    expect(await vault.kindOf(tenantId, 'billing', em)).toBe('hmac');
    expect(await vault.kindOf(tenantId, 'billing')).toBeUndefined();
    expect(await vault.liveVersions(tenantId, 'billing')).toEqual([]);
    await em.rollback();
    expect(await database.query('select from kernel_secret_version')).toEqual([]);
  });

  it('joins a transaction of the async context, and does not read from it to sign', async () => {
    await using bundle = await openVault();
    const { vault, orm, tenantId } = bundle;
    await orm.em.transactional(async () => {
      await vault.put({ tenantId, alias: 'billing' });
      expect(await vault.liveVersions(tenantId, 'billing')).toEqual([]);
    });
    expect(await vault.liveVersions(tenantId, 'billing')).toHaveLength(1);
  });

  it('shows a change at once when its transaction commits, whatever was read meanwhile', async () => {
    await using bundle = await openVault();
    const { vault, orm, tenantId } = bundle;
    await vault.put({ tenantId, alias: 'billing' });
    await vault.liveVersions(tenantId, 'billing');
    await orm.em.fork().transactional(async (em) => {
      await vault.put({ tenantId, alias: 'billing' }, em);
      await vault.revoke(tenantId, 'billing', 1, em);
      expect(await vault.liveVersions(tenantId, 'billing')).toMatchObject([{ version: 1 }]);
    });
    expect(await vault.liveVersions(tenantId, 'billing')).toMatchObject([{ version: 2 }]);
  });

  it('keeps signing with what was live when the transaction rolls back', async () => {
    await using bundle = await openVault();
    const { vault, orm, tenantId } = bundle;
    await vault.put({ tenantId, alias: 'billing' });
    const em = orm.em.fork();
    await em.begin();
    expect(await vault.revoke(tenantId, 'billing', 1, em)).toBe(true);
    await em.rollback();
    expect(await vault.liveVersions(tenantId, 'billing')).toMatchObject([{ version: 1 }]);
  });

  it('shows a change made within a savepoint after the life of the cache at the latest', async () => {
    await using bundle = await openVault();
    const { vault, orm, clock, tenantId } = bundle;
    await vault.put({ tenantId, alias: 'billing' });
    await orm.em.fork().transactional(async (outer) => {
      await outer.transactional((inner) => vault.revoke(tenantId, 'billing', 1, inner));
      await vault.liveVersions(tenantId, 'billing');
    });
    clock.nowMs += 5000;
    expect(await vault.liveVersions(tenantId, 'billing')).toEqual([]);
  });
});

describe('the cache of the vault', () => {
  it('shows a change by another process after its life, one by this process at once', async () => {
    await using bundle = await openVault();
    const { vault, orm, clock, masterKey, tenantId } = bundle;
    await vault.put({ tenantId, alias: 'billing' });
    await vault.liveVersions(tenantId, 'billing');
    await new PostgresSecretVault(orm.em, masterKey).put({ tenantId, alias: 'billing' });
    clock.nowMs += 4999;
    expect(await vault.liveVersions(tenantId, 'billing')).toMatchObject([{ version: 1 }]);
    clock.nowMs += 1;
    expect(await vault.liveVersions(tenantId, 'billing')).toMatchObject([{ version: 2 }, { version: 1 }]);
    await vault.revoke(tenantId, 'billing', 2);
    expect(await vault.liveVersions(tenantId, 'billing')).toMatchObject([{ version: 1 }]);
  });

  it('does not hide a store that is down past its life, and recovers with it', async () => {
    await using bundle = await openVault();
    const { vault, database, clock, tenantId } = bundle;
    await vault.put({ tenantId, alias: 'billing' });
    await vault.liveVersions(tenantId, 'billing');
    await database.query('alter table kernel_secret_version rename to away');
    expect(await vault.liveVersions(tenantId, 'billing')).toHaveLength(1);
    clock.nowMs += 5000;
    const live = vault.liveVersions(tenantId, 'billing');
    await expect(live).rejects.toThrow(SecretsUnavailableError);
    await expect(live).rejects.toMatchObject({ code: 'SECRETS_UNAVAILABLE', cause: { code: '42P01' } });
    await database.query('alter table away rename to kernel_secret_version');
    expect(await vault.liveVersions(tenantId, 'billing')).toHaveLength(1);
  });
});
