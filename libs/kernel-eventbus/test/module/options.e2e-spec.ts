import { randomBytes, randomUUID } from 'node:crypto';
import { EventBusConfig } from '../../src/eventbus.config.js';
import { EventBusModule } from '../../src/eventbus.module.js';
import { eventBusEntities } from '../../src/eventbus.entities.js';
import { InvalidOptionsError } from '../../src/eventbus.errors.js';
import { WebhookReceiver } from '@kernel/eventbus/testing';
import { EnvFileSecretsProvider } from '@kernel/secrets';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Webhook } from 'standardwebhooks';
import { startKernelApp } from '@kernel/test-support/kernel-app';
import { createTestDatabase } from '@kernel/test-support/test-database';

@Injectable()
class Settings {
  readonly masterKey = randomBytes(32).toString('base64');
  readonly concurrency: number = 7;
}

@Module({ providers: [Settings], exports: [Settings] })
class SettingsModule {}

describe('EventBusModule.forRootAsync', () => {
  const compile = (concurrency: (settings: Settings) => number, clientUrl: string) =>
    Test.createTestingModule({
      imports: [
        MikroOrmModule.forRoot({ driver: PostgreSqlDriver, clientUrl, entities: eventBusEntities }),
        EventBusModule.forRootAsync({
          imports: [SettingsModule],
          inject: [Settings],
          useFactory: (settings: Settings) => ({
            masterKey: settings.masterKey,
            role: 'api' as const,
            concurrency: concurrency(settings),
          }),
        }),
      ],
    }).compile();

  it('takes its options from providers, checks and freezes them', async () => {
    const database = await createTestDatabase();
    const module = await compile((settings) => settings.concurrency, database.appUrl);
    await module.init();
    const config = module.get(EventBusConfig);
    expect(config).toMatchObject({ concurrency: 7, role: 'api', timeoutMs: 15_000 });
    expect(Object.isFrozen(config)).toBe(true);
    await module.close();
    await expect(compile(() => -1, database.appUrl)).rejects.toThrow(InvalidOptionsError);
    await database.drop();
  });
});

describe('the option secretsProvider', () => {
  it('signs with the secrets of the host', async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const receiver = await WebhookReceiver.start();
    const kernel = await startKernelApp({
      secretsProvider: new EnvFileSecretsProvider({ env: { KERNEL_SECRET_PARTNER: secret } }),
    });
    const tenantId = randomUUID();
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'] });
    await kernel.database.query(`update kernel_webhook_endpoint set signing_secret_alias = 'partner'`);
    await kernel.em
      .fork()
      .transactional((em) =>
        kernel.outbox.publish({ type: 't.v1', tenantId, streamKey: 's', traceId: 'trace-0001' }, { em }),
      );
    const [webhook] = await receiver.receives(1);
    expect(() => new Webhook(secret).verify(webhook!.raw, webhook!.headers as Record<string, string>)).not.toThrow();
    await kernel.close();
    await receiver.stop();
  });
});

describe('preparedStatements', () => {
  it.each([true, false, 'auto'] as const)('%s: publishes, routes and delivers', async (preparedStatements) => {
    const receiver = await WebhookReceiver.start();
    const kernel = await startKernelApp({ preparedStatements });
    const tenantId = randomUUID();
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'], ordering: 'stream' });
    await kernel.outbox.publishDetached({ tenantId, type: 't.v1', streamKey: 's:1', traceId: 'trace-0001' });
    await receiver.receives(1);
    expect(receiver.received[0]!.headers['x-kernel-stream-sequence']).toBe('1');
    await kernel.close();
    await receiver.stop();
  });
});
