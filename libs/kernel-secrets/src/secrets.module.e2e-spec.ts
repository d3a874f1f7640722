import { randomBytes, randomUUID } from 'node:crypto';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Test } from '@nestjs/testing';
import { Webhook } from 'standardwebhooks';
import { createTestDatabase } from '@kernel/test-support/test-database';
import {
  EnvFileSecretsProvider,
  InvalidMasterKeyError,
  InvalidSecretsOptionsError,
  MasterKey,
  PostgresSecretVault,
  secretsEntities,
  SecretsModule,
  SecretsProvider,
  SigningService,
  type SecretsModuleOptions,
} from './index.js';

const MASTER_KEY = randomBytes(32).toString('base64');

describe('SecretsModule', () => {
  it.each([
    ['forRoot', (options: SecretsModuleOptions) => SecretsModule.forRoot(options)],
    ['forRootAsync', (options: SecretsModuleOptions) => SecretsModule.forRootAsync({ useFactory: () => options })],
  ])('signs with the secrets of its vault through %s', async (_, configure) => {
    await using host = await startHost(configure({ masterKey: MASTER_KEY }));
    const vault = host.app.get(PostgresSecretVault);
    expect(host.app.get(SecretsProvider)).toBe(vault);
    expect(host.app.get(MasterKey).fingerprint).toBe(MasterKey.fromBase64(MASTER_KEY).fingerprint);
    const { value } = await vault.put({ tenantId: host.message.tenantId, alias: host.message.alias });
    const headers = await host.app.get(SigningService).sign(host.message);
    expect(new Webhook(value.reveal()).verify(host.message.body, { ...headers })).toEqual({});
  });

  it("signs with the secrets of the host's own provider", async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const provider = new EnvFileSecretsProvider({ env: { KERNEL_SECRET_BILLING: secret } });
    await using host = await startHost(SecretsModule.forRoot({ masterKey: MASTER_KEY, provider }));
    expect(host.app.get(SecretsProvider)).toBe(provider);
    const headers = await host.app.get(SigningService).sign(host.message);
    expect(new Webhook(secret).verify(host.message.body, { ...headers })).toEqual({});
  });

  it('reads no table while it starts', async () => {
    await using host = await startHost(SecretsModule.forRoot({ masterKey: MASTER_KEY }));
    expect(await host.database.query('select from kernel_master_key')).toEqual([]);
  });

  it.each([
    ['a negative life of the cache', { masterKey: MASTER_KEY, cacheTtlMs: -1 }, InvalidSecretsOptionsError],
    ['an unknown option', { masterKey: MASTER_KEY, cacheTtl: 1 }, InvalidSecretsOptionsError],
    ['a provider of another kind', { masterKey: MASTER_KEY, provider: {} }, InvalidSecretsOptionsError],
    ['no master key', {}, InvalidSecretsOptionsError],
    ['a short master key', { masterKey: 'c2hvcnQ=' }, InvalidMasterKeyError],
  ])('does not start with %s', async (_, options, error) => {
    await expect(startHost(SecretsModule.forRoot(options as never))).rejects.toThrow(error);
  });
});

async function startHost(secretsModule: ReturnType<typeof SecretsModule.forRoot>) {
  const database = await createTestDatabase();
  const orm = MikroOrmModule.forRoot({ ...database.ormOptions, driver: PostgreSqlDriver, entities: secretsEntities });
  try {
    const app = await Test.createTestingModule({ imports: [orm, secretsModule] })
      .compile()
      .then((module) => module.init());
    const message = {
      tenantId: randomUUID(),
      alias: 'billing',
      messageId: randomUUID(),
      timestamp: new Date(),
      body: '{}',
    };
    const dispose = () => app.close().then(() => database.drop());
    return { app, database, message, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await database.drop();
    throw error;
  }
}
