import 'reflect-metadata';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import type { DynamicModule } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { PolicyStore, privacyEntities, PrivacyModule, RedactionService, resolvePrivacyOptions } from './index.js';

const tenantHashKey = () => Buffer.alloc(32, 1);

describe('PrivacyModule', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  async function setup(privacy: DynamicModule) {
    const orm = MikroOrmModule.forRoot({ ...database.ormOptions, driver: PostgreSqlDriver, entities: privacyEntities });
    const testing = await Test.createTestingModule({ imports: [orm, privacy] }).compile();
    return testing.init();
  }

  it.each([
    ['forRoot', () => PrivacyModule.forRoot({ tenantHashKey })],
    ['forRootAsync', () => PrivacyModule.forRootAsync({ useFactory: async () => ({ tenantHashKey, cacheTtlMs: 0 }) })],
  ])("stands on the host's EntityManager (%s)", async (_, privacy) => {
    const app = await setup(privacy());
    expect(app.get(PolicyStore)).toBeInstanceOf(PolicyStore);
    const request = { tenantId: '018f0000-0000-7000-8000-000000000001', eventType: 'a.b', payload: { a: 1 } };
    expect(await app.get(RedactionService).redactFor(request)).toMatchObject({ payload: {}, policyId: null });
    await app.close();
  });

  it('refuses to start with options that are not valid', async () => {
    await expect(setup(PrivacyModule.forRoot({ tenantHashKey: 'a key' as never }))).rejects.toMatchObject({
      code: 'PRIVACY_OPTIONS_INVALID',
      message: expect.stringContaining('tenantHashKey'),
    });
  });
});

describe('resolvePrivacyOptions', () => {
  it('remembers policies for 5 seconds by default, and cannot be changed afterwards', () => {
    const config = resolvePrivacyOptions({ tenantHashKey });
    expect(config).toEqual({ tenantHashKey, cacheTtlMs: 5_000, eventPrivacy: expect.any(Function) });
    expect(config.eventPrivacy('any.v1')).toBeUndefined();
    expect(Object.isFrozen(config)).toBe(true);
  });

  it.each([[{ cacheTtlMs: -1 }], [{ cacheTtlMs: 0.5 }], [{ cacheTTL: 1 }]])('refuses %j', (wrong) => {
    expect(() => resolvePrivacyOptions({ tenantHashKey, ...wrong })).toThrow(/PrivacyModule cannot start/);
  });
});
