import { randomUUID } from 'node:crypto';
import { IsolationLevel, MikroORM } from '@mikro-orm/postgresql';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { InvalidPolicyError, PolicyVersionConflictError, StoredPolicyInvalidError } from '../privacy.errors.js';
import type { PolicyRule } from './policy-rule.js';
import { PolicyStore } from './policy-store.js';
import { privacyEntities } from './privacy-policy.entity.js';

const keep = (path: string): PolicyRule => ({ path, action: 'keep' });

describe('PolicyStore', () => {
  let database: TestDatabase;
  let orm: MikroORM;

  beforeAll(async () => {
    database = await createTestDatabase();
    orm = await MikroORM.init({ ...database.ormOptions, entities: privacyEntities });
  });

  afterAll(async () => {
    await orm.close(true);
    await database.drop();
  });

  function setup() {
    const tenantId = randomUUID();
    const eventType = `invoice.${randomUUID()}`;
    const policy = { tenantId, eventType, rules: [keep('$.invoiceId')], createdBy: 'ada' };
    return { store: new PolicyStore(orm.em), tenantId, eventType, policy };
  }

  describe('current', () => {
    it('is undefined when neither tenant nor type has a policy', async () => {
      const { store, tenantId, eventType } = setup();
      expect(await store.current(tenantId, eventType)).toBeUndefined();
    });

    it('is the latest version', async () => {
      const { store, tenantId, eventType, policy } = setup();
      await store.put(policy);
      const second = await store.put({ ...policy, rules: [keep('$.other')] });
      expect(await store.current(tenantId, eventType)).toEqual(second);
      expect(second).toMatchObject({ tenantId, eventType, version: 2, rules: [keep('$.other')], createdBy: 'ada' });
      expect(Math.abs(second.createdAt.getTime() - Date.now())).toBeLessThan(60_000);
    });

    it("[KER-T] is the default of the type for a tenant without its own, and never another tenant's", async () => {
      const { store, tenantId, eventType, policy } = setup();
      const ofDefault = await store.put({ ...policy, tenantId: null });
      await store.put({ ...policy, tenantId: randomUUID() });
      expect(await store.current(tenantId, eventType)).toEqual(ofDefault);
    });

    it('is the own policy of a tenant, even when the default has more versions', async () => {
      const { store, tenantId, eventType, policy } = setup();
      await store.put({ ...policy, tenantId: null });
      const own = await store.put(policy);
      await store.put({ ...policy, tenantId: null });
      expect(await store.current(tenantId, eventType)).toEqual(own);
    });

    it('refuses a stored policy that holds an action of a later version', async () => {
      const { store, tenantId, eventType, policy } = setup();
      const { policyId } = await store.put(policy);
      const later = JSON.stringify([{ path: '$.a', action: 'truncate' }]);
      await database.query('update kernel_privacy_policy set rules = $1 where policy_id = $2', [later, policyId]);
      await expect(store.current(tenantId, eventType)).rejects.toThrow(StoredPolicyInvalidError);
    });
  });

  describe('versionBefore', () => {
    it('is the version that was replaced, of the same owner, be it one that cannot be applied', async () => {
      const { store, eventType, policy } = setup();
      await store.put({ ...policy, tenantId: null });
      const first = await store.put(policy);
      const later = [{ path: '$.a', action: 'shred' }];
      await database.query('update kernel_privacy_policy set rules = $1 where policy_id = $2', [
        JSON.stringify(later),
        first.policyId,
      ]);
      const second = await store.put({ ...policy, rules: [] });
      expect(second).toMatchObject({ eventType, version: 2 });
      expect(await store.versionBefore(second)).toEqual({ version: 1, rules: later });
      expect(await store.versionBefore(first)).toBeUndefined();
    });
  });

  describe('put', () => {
    it.each(['tenant', 'default'] as const)(
      'gives every one of many at once a version of its own (%s)',
      async (whose) => {
        const { store, tenantId, policy } = setup();
        const put = () => store.put({ ...policy, tenantId: whose === 'tenant' ? tenantId : null });
        const stored = await Promise.all(Array.from({ length: 8 }, put));
        expect(stored.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      },
    );

    it('refuses rules that are not valid, stores nothing and says why', async () => {
      const { store, tenantId, eventType, policy } = setup();
      const rules = [{ path: '$..email', action: 'keep' as const }];
      const refused = store.put({ ...policy, rules });
      await expect(refused).rejects.toThrow(InvalidPolicyError);
      await expect(refused).rejects.toMatchObject({
        code: 'PRIVACY_POLICY_INVALID',
        message: expect.stringContaining("['any name'] and [*]"),
        cause: expect.anything(),
      });
      expect(await store.current(tenantId, eventType)).toBeUndefined();
    });

    it("joins the caller's transaction through the async context and rolls back with it", async () => {
      const { store, tenantId, eventType, policy } = setup();
      const rolledBack = orm.em.fork().transactional(async () => {
        await store.put(policy);
        expect(await store.current(tenantId, eventType)).toMatchObject({ version: 1 });
        expect(await store.currentCommitted(tenantId, eventType)).toBeUndefined();
        throw new Error('roll back');
      });
      await expect(rolledBack).rejects.toThrow('roll back');
      expect(await store.current(tenantId, eventType)).toBeUndefined();
    });

    it('joins the transaction of an EntityManager that is handed in, and does not commit it', async () => {
      const { store, tenantId, eventType, policy } = setup();
      const em = orm.em.fork();
      await em.begin();
      await store.put(policy, em);
      expect(em.isInTransaction()).toBe(true);
      expect(await store.current(tenantId, eventType)).toBeUndefined();
      await em.commit();
      expect(await store.current(tenantId, eventType)).toMatchObject({ version: 1 });
    });

    it('asks for another try when the transaction reads too old a snapshot', async () => {
      const { store, tenantId, policy } = setup();
      const late = orm.em.fork().transactional(
        async (em) => {
          await store.list({ tenantId, limit: 1 }, em);
          await store.put(policy, orm.em.fork());
          await store.put(policy, em);
        },
        { isolationLevel: IsolationLevel.REPEATABLE_READ },
      );
      await expect(late).rejects.toThrow(PolicyVersionConflictError);
    });

    it('tells its listeners at once, and again when the transaction of the caller has committed', async () => {
      const { store, eventType, policy } = setup();
      const told: string[] = [];
      store.onChange((type) => told.push(type));
      await store.put(policy);
      expect(told).toEqual([eventType]);
      await orm.em.fork().transactional(async () => {
        await store.put(policy);
        expect(told).toEqual([eventType, eventType]);
      });
      expect(told).toEqual([eventType, eventType, eventType]);
    });
  });

  describe('list', () => {
    it('gives the current version of each policy, newest first, page by page', async () => {
      const { store, tenantId, policy } = setup();
      const types = ['a', 'b', 'c'].map((name) => `${policy.eventType}.${name}`);
      for (const eventType of [...types, types[0]!]) {
        await store.put({ ...policy, eventType });
      }
      const first = await store.list({ tenantId, limit: 2 });
      const second = await store.list({ tenantId, limit: 2, before: first.at(-1)!.policyId });
      expect([first, second].map((page) => page.map(({ eventType, version }) => [eventType, version]))).toEqual([
        [
          [types[0], 2],
          [types[2], 1],
        ],
        [[types[1], 1]],
      ]);
    });

    it('[KER-T] shows a tenant its own policies and the defaults', async () => {
      const { store, tenantId, policy } = setup();
      const ofDefault = await store.put({ ...policy, tenantId: null });
      const own = await store.put(policy);
      const foreign = await store.put({ ...policy, tenantId: randomUUID() });
      const listed = (await store.list({ visibleTo: tenantId, limit: 100 })).map(({ policyId }) => policyId);
      expect(listed).toEqual(expect.arrayContaining([own.policyId, ofDefault.policyId]));
      expect(listed).not.toContain(foreign.policyId);
      expect(await store.list({ visibleTo: tenantId, tenantId: foreign.tenantId, limit: 100 })).toEqual([]);
    });

    it('lists the defaults alone for null', async () => {
      const { store, policy } = setup();
      await store.put(policy);
      const ofDefault = await store.put({ ...policy, tenantId: null });
      const listed = await store.list({ tenantId: null, limit: 100 });
      expect(listed[0]).toEqual(ofDefault);
      expect(listed.every(({ tenantId }) => tenantId === null)).toBe(true);
    });
  });
});
