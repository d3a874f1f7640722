import { randomUUID } from 'node:crypto';
import { openVault } from '../../test/open-vault.js';
import { SecretKindMismatchError, TooManyLiveVersionsError } from '../secrets.errors.js';
import { PostgresSecretVault } from './postgres-secret-vault.js';

const DAY = 86_400;

describe('rotation of a secret', () => {
  it('keeps the old version live during the overlap and not a moment longer, cached or not', async () => {
    await using bundle = await openVault();
    const { vault, orm, masterKey, options, wall, tenantId } = bundle;
    await vault.put({ tenantId, alias: 'billing' });
    const rotated = await vault.rotate({ tenantId, alias: 'billing', overlapSeconds: DAY });
    const end = new Date('2026-11-17T12:00:00Z');
    expect(rotated).toMatchObject({ version: 2, overlapping: [{ version: 1, liveUntil: end }] });
    const live = async (of = vault) => (await of.liveVersions(tenantId, 'billing')).map(({ version }) => version);
    wall.now = new Date(end.getTime() - 1);
    expect(await live()).toEqual([2, 1]);
    wall.now = end;
    expect(await live()).toEqual([2]);
    expect(await live(new PostgresSecretVault(orm.em, masterKey, options))).toEqual([2]);
  });

  it('ends all older versions, none later than an earlier rotation said', async () => {
    await using bundle = await openVault();
    const { vault, tenantId } = bundle;
    await vault.put({ tenantId, alias: 'billing' });
    await vault.rotate({ tenantId, alias: 'billing', overlapSeconds: 60 });
    await vault.put({ tenantId, alias: 'billing' });
    const { version, overlapping } = await vault.rotate({ tenantId, alias: 'billing', overlapSeconds: DAY });
    expect(version).toBe(4);
    expect(overlapping).toEqual([
      { version: 3, liveUntil: new Date('2026-11-17T12:00:00Z') },
      { version: 2, liveUntil: new Date('2026-11-17T12:00:00Z') },
      { version: 1, liveUntil: new Date('2026-11-16T12:01:00Z') },
    ]);
  });

  it('without an overlap ends the old one now', async () => {
    await using bundle = await openVault();
    const { vault, tenantId } = bundle;
    await vault.put({ tenantId, alias: 'billing' });
    expect((await vault.rotate({ tenantId, alias: 'billing', overlapSeconds: 0 })).overlapping).toEqual([]);
    expect(await vault.liveVersions(tenantId, 'billing')).toMatchObject([{ version: 2 }]);
  });

  it('rolls back with the transaction around it', async () => {
    await using bundle = await openVault();
    const { vault, orm, tenantId } = bundle;
    const { value } = await vault.put({ tenantId, alias: 'billing' });
    const em = orm.em.fork();
    await em.begin();
    await vault.rotate({ tenantId, alias: 'billing', overlapSeconds: 0 }, em);
    await em.rollback();
    const [live, ...rest] = await vault.liveVersions(tenantId, 'billing');
    expect([live!.value.reveal(), live!.liveUntil, rest]).toEqual([value.reveal(), undefined, []]);
  });

  it('leaves the other aliases and tenants alone', async () => {
    await using bundle = await openVault();
    const { vault, tenantId } = bundle;
    const other = randomUUID();
    await vault.put({ tenantId, alias: 'other' });
    await vault.put({ tenantId: other, alias: 'billing' });
    await vault.put({ tenantId, alias: 'billing' });
    await vault.rotate({ tenantId, alias: 'billing', overlapSeconds: 0 });
    expect(await vault.liveVersions(tenantId, 'other')).toHaveLength(1);
    expect(await vault.liveVersions(other, 'billing')).toHaveLength(1);
  });

  it('refuses another kind of secret under an alias, and more live versions than anybody needs', async () => {
    await using bundle = await openVault();
    const { vault, tenantId } = bundle;
    await vault.put({ tenantId, alias: 'billing' });
    for (const wrong of [{ kind: 'ed25519' as const }, { value: 'Bearer x' }]) {
      await expect(vault.put({ tenantId, alias: 'billing', ...wrong })).rejects.toThrow(SecretKindMismatchError);
    }
    for (let version = 2; version <= 16; version += 1) {
      await vault.put({ tenantId, alias: 'billing' });
    }
    await expect(vault.put({ tenantId, alias: 'billing' })).rejects.toThrow(TooManyLiveVersionsError);
    await vault.revoke(tenantId, 'billing', 1);
    expect((await vault.put({ tenantId, alias: 'billing' })).version).toBe(17);
  });
});
