import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SecretsUnavailableError } from '../secrets.errors.js';
import { EnvFileSecretsProvider } from './env-file-secrets-provider.js';

describe('EnvFileSecretsProvider', () => {
  it('reads the variable of an alias', async () => {
    await using bundle = await setup();
    const { provider, env, tenantId } = bundle;
    env.KERNEL_SECRET_ERP_BILLING_V2 = newSecret();
    expect(await texts(provider, tenantId, 'erp-billing.v2')).toEqual([env.KERNEL_SECRET_ERP_BILLING_V2]);
  });

  it("prefers what is the tenant's own to what is shared, and variables to files", async () => {
    await using bundle = await setup();
    const { provider, env, clock, directory, tenantId } = bundle;
    const [shared, variable, own, ownVariable] = [newSecret(), newSecret(), newSecret(), newSecret()];
    await writeFile(join(directory, 'billing'), `${shared}\n`);
    expect(await texts(provider, tenantId, 'billing')).toEqual([shared]);
    clock.nowMs += 5000;
    env.KERNEL_SECRET_BILLING = variable;
    expect(await texts(provider, tenantId, 'billing')).toEqual([variable]);
    clock.nowMs += 5000;
    await mkdir(join(directory, tenantId));
    await writeFile(join(directory, tenantId, 'billing'), own);
    expect(await texts(provider, tenantId.toUpperCase(), 'billing')).toEqual([own]);
    expect(await texts(provider, randomUUID(), 'billing')).toEqual([variable]);
    clock.nowMs += 5000;
    env[variableOf(tenantId, 'BILLING')] = ownVariable;
    expect(await texts(provider, tenantId, 'billing')).toEqual([ownVariable]);
    expect(await texts(provider, randomUUID(), 'billing')).toEqual([variable]);
  });

  it('[KER-6c] has credentials of the tenant alone: what is shared signs, and never goes into a header', async () => {
    await using bundle = await setup();
    const { provider, env, clock, directory, tenantId } = bundle;
    env.KERNEL_SECRET_PARTNER = 'Bearer shared';
    await writeFile(join(directory, 'file-partner'), 'Bearer shared');
    expect(await texts(provider, tenantId, 'partner')).toEqual([]);
    expect(await texts(provider, tenantId, 'file-partner')).toEqual([]);
    clock.nowMs += 5000;
    env[variableOf(tenantId, 'PARTNER')] = 'Bearer own';
    await mkdir(join(directory, tenantId));
    await writeFile(join(directory, tenantId, 'file-partner'), 'Bearer file');
    expect(await texts(provider, tenantId, 'partner')).toEqual(['Bearer own']);
    expect(await texts(provider, tenantId, 'file-partner')).toEqual(['Bearer file']);
  });

  it('[KER-6c] reads no secret of a tenant for another, whatever the alias is made of', async () => {
    await using bundle = await setup();
    const { provider, env, directory, tenantId } = bundle;
    env[variableOf(tenantId, 'PARTNER')] = newSecret();
    await mkdir(join(directory, tenantId));
    await writeFile(join(directory, tenantId, 'billing'), newSecret());
    for (const alias of [`${tenantId}-partner`, `tenant-secret-${tenantId}-partner`, 'partner', 'billing', tenantId]) {
      expect(await provider.liveVersions(randomUUID(), alias)).toEqual([]);
    }
  });

  it('takes several values, newest first, for a rotation', async () => {
    await using bundle = await setup();
    const { provider, env, tenantId } = bundle;
    const [fresh, old] = [newSecret(), newSecret()];
    env.KERNEL_SECRET_BILLING = `  ${fresh}   ${old} `;
    const versions = await provider.liveVersions(tenantId, 'billing');
    expect(versions.map(({ version, value }) => [version, value.reveal()])).toEqual([
      [2, fresh],
      [1, old],
    ]);
  });

  it('has no live version where nothing is set, a blank text counting as nothing', async () => {
    await using bundle = await setup();
    const { provider, env, directory, tenantId } = bundle;
    env.KERNEL_SECRET_BILLING = ' ';
    await writeFile(join(directory, 'billing'), '\n');
    await mkdir(join(directory, tenantId));
    expect(await provider.liveVersions(tenantId, 'billing')).toEqual([]);
    expect(await provider.liveVersions(tenantId, 'unknown')).toEqual([]);
    expect(await provider.liveVersions(randomUUID(), tenantId)).toEqual([]);
    expect(await new EnvFileSecretsProvider({ env }).liveVersions(tenantId, 'billing')).toEqual([]);
  });

  it.each(['../outside', '..', 'sub/../../outside', '/etc/passwd', '..\\outside', 'outside\0'])(
    'does not leave its directory through the alias or tenant %j',
    async (path) => {
      await using bundle = await setup();
      const { provider, directory, tenantId } = bundle;
      await writeFile(join(directory, '..', 'outside'), newSecret());
      expect(await provider.liveVersions(tenantId, path)).toEqual([]);
      expect(await provider.liveVersions(path, 'outside')).toEqual([]);
    },
  );

  it('is unavailable, not empty, when a value cannot be used, and does not show it', async () => {
    await using bundle = await setup();
    const { provider, env, tenantId } = bundle;
    env.KERNEL_SECRET_BILLING = `${newSecret()} hunter2`;
    const live = provider.liveVersions(tenantId, 'billing');
    await expect(live).rejects.toThrow(SecretsUnavailableError);
    await expect(live).rejects.toThrow('KERNEL_SECRET_BILLING holds a value that cannot be used');
    await expect(live).rejects.not.toThrow('hunter2');
    await expect(live).rejects.toMatchObject({ cause: { code: 'SECRET_INVALID' } });
  });

  it('takes a credential with its blanks, and no mixture of kinds', async () => {
    await using bundle = await setup();
    const { provider, env, tenantId } = bundle;
    env[variableOf(tenantId, 'PARTNER')] = 'Bearer abc def';
    expect(await texts(provider, tenantId, 'partner')).toEqual(['Bearer abc def']);
    env.KERNEL_SECRET_MIXED = `${newSecret()} whsk_${randomBytes(32).toString('base64')}`;
    await expect(provider.liveVersions(tenantId, 'mixed')).rejects.toThrow('does not start with "whsec_"');
  });

  it('is unavailable, not empty, when its directory is missing', async () => {
    await using bundle = await setup();
    const { provider, directory, tenantId } = bundle;
    await rm(directory, { recursive: true });
    const live = provider.liveVersions(tenantId, 'billing');
    await expect(live).rejects.toMatchObject({ code: 'SECRETS_UNAVAILABLE', cause: { code: 'ENOENT' } });
  });

  it('reads a changed file after the life of the cache', async () => {
    await using bundle = await setup();
    const { provider, clock, directory, tenantId } = bundle;
    const [old, fresh] = [newSecret(), newSecret()];
    await writeFile(join(directory, 'billing'), old);
    await provider.liveVersions(tenantId, 'billing');
    await writeFile(join(directory, 'billing'), fresh);
    expect(await texts(provider, tenantId, 'billing')).toEqual([old]);
    clock.nowMs += 5000;
    expect(await texts(provider, tenantId, 'billing')).toEqual([fresh]);
  });
});

async function setup() {
  const root = await mkdtemp(join(tmpdir(), 'kernel-secrets-'));
  const directory = join(root, 'secrets');
  await mkdir(directory);
  const env: Record<string, string | undefined> = {};
  const clock = { nowMs: 0 };
  const provider = new EnvFileSecretsProvider({ env, directory, now: () => clock.nowMs });
  return {
    provider,
    env,
    clock,
    directory,
    tenantId: randomUUID(),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

async function texts(provider: EnvFileSecretsProvider, tenantId: string, alias: string): Promise<string[]> {
  return (await provider.liveVersions(tenantId, alias)).map(({ value }) => value.reveal());
}

function variableOf(tenantId: string, alias: string): string {
  return `KERNEL_TENANT_SECRET_${tenantId.toUpperCase().replaceAll('-', '_')}_${alias}`;
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
