import { randomUUID } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import type { PolicyRule } from './policy/policy-rule.js';
import { PolicyStore } from './policy/policy-store.js';
import { privacyEntities } from './policy/privacy-policy.entity.js';
import { HashKeyUnavailableError, PolicyUnavailableError } from './privacy.errors.js';
import { resolvePrivacyOptions, type PrivacyModuleOptions } from './privacy.options.js';
import { hmacSha256 } from './redact/hmac-sha256.js';
import { RedactionService } from './redaction.service.js';

const keep = (path: string): PolicyRule => ({ path, action: 'keep' });
const hash = (path: string): PolicyRule => ({ path, action: 'hash' });
const keyOf = (tenantId: string) => Buffer.from(`key of ${tenantId}`);

describe('RedactionService', () => {
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

  function setup(options: Partial<PrivacyModuleOptions> = {}) {
    const store = new PolicyStore(orm.em);
    const config = resolvePrivacyOptions({ tenantHashKey: keyOf, cacheTtlMs: 600_000, ...options });
    const request = {
      tenantId: randomUUID(),
      eventType: `invoice.${randomUUID()}`,
      payload: { invoiceId: 'inv-1', customer: { email: 'ada@example.org' } },
    };
    const put = (...rules: PolicyRule[]) => store.put({ ...request, rules, createdBy: 'ada' });
    return { store, request, put, service: new RedactionService(store, config) };
  }

  it('[KER-6d] sends nothing when no policy exists', async () => {
    const { service, request } = setup();
    expect(await service.redactFor(request)).toEqual({
      payload: {},
      policyId: null,
      policyVersion: null,
      keepsActorId: false,
      removed: [
        { path: '$.invoiceId', reason: 'no-rule' },
        { path: '$.customer.email', reason: 'no-rule' },
      ],
      changed: [],
    });
  });

  it('[EVI-F] sends what the policy allows and names the policy', async () => {
    const { service, request, put } = setup();
    const { policyId } = await put(keep('$.invoiceId'), keep('@actorId'));
    expect(await service.redactFor(request)).toEqual({
      payload: { invoiceId: 'inv-1' },
      policyId,
      policyVersion: 1,
      keepsActorId: true,
      removed: [{ path: '$.customer.email', reason: 'no-rule' }],
      changed: [],
    });
  });

  it("hashes under the tenant's own key", async () => {
    const { service, request, put } = setup();
    await put(hash('$.customer.email'));
    const { payload, changed } = await service.redactFor(request);
    expect(payload).toEqual({ customer: { email: hmacSha256(keyOf(request.tenantId))('ada@example.org') } });
    expect(changed).toEqual([{ path: '$.customer.email', action: 'hash' }]);
  });

  it('asks for a key only when a rule hashes', async () => {
    const { service, request, put } = setup({ tenantHashKey: () => Promise.reject(new Error('vault down')) });
    await put(keep('$.invoiceId'));
    expect(await service.redactFor(request)).toMatchObject({ payload: { invoiceId: 'inv-1' } });
  });

  it.each<[string, PrivacyModuleOptions['tenantHashKey']]>([
    ['fails', () => Promise.reject(new Error('vault down'))],
    [
      'throws',
      () => {
        throw new Error('vault down');
      },
    ],
    ['is empty', () => Buffer.alloc(0)],
    ['is no Buffer', () => 'a text that is long enough' as never],
  ])('[KER-6d] returns nothing when the key %s', async (_, tenantHashKey) => {
    const { service, request, put } = setup({ tenantHashKey });
    await put(keep('$.invoiceId'), hash('$.customer.email'));
    const failed = service.redactFor(request);
    await expect(failed).rejects.toThrow(HashKeyUnavailableError);
    await expect(failed).rejects.toThrow(PolicyUnavailableError);
    await expect(failed).rejects.not.toThrow(/ada@example/);
  });

  it('[KER-6d] returns nothing when the policies cannot be read, and recovers when they can', async () => {
    const { service, request, put } = setup();
    await put(keep('$.invoiceId'));
    await database.query('alter table kernel_privacy_policy rename to kernel_privacy_policy_away');
    await expect(service.redactFor(request)).rejects.toMatchObject({
      name: 'PolicyUnavailableError',
      code: 'PRIVACY_POLICY_UNAVAILABLE',
      message: expect.stringContaining(request.tenantId),
      cause: expect.objectContaining({ code: '42P01' }),
    });
    await database.query('alter table kernel_privacy_policy_away rename to kernel_privacy_policy');
    expect(await service.redactFor(request)).toMatchObject({ policyVersion: 1 });
  });

  it('remembers a policy that another process may have changed, for the time to live', async () => {
    const remembering = setup();
    const other = new PolicyStore(orm.em);
    await remembering.put(keep('$.invoiceId'));
    await remembering.service.redactFor(remembering.request);
    await other.put({ ...remembering.request, rules: [], createdBy: 'ada' });
    expect(await remembering.service.redactFor(remembering.request)).toMatchObject({ policyVersion: 1 });
  });

  it('looks every time when the time to live is 0', async () => {
    const { service, request, put } = setup({ cacheTtlMs: 0 });
    const other = new PolicyStore(orm.em);
    await put(keep('$.invoiceId'));
    await service.redactFor(request);
    await other.put({ ...request, rules: [], createdBy: 'ada' });
    expect(await service.redactFor(request)).toMatchObject({ policyVersion: 2, payload: {} });
  });

  it('applies a policy put in the same process at once, a default for the tenants it covers too', async () => {
    const { service, store, request, put } = setup();
    await service.redactFor(request);
    await store.put({ ...request, tenantId: null, rules: [keep('$.customer')], createdBy: 'ada' });
    expect(await service.redactFor(request)).toMatchObject({ payload: { customer: { email: 'ada@example.org' } } });
    await put(keep('$.invoiceId'));
    expect(await service.redactFor(request)).toMatchObject({ payload: { invoiceId: 'inv-1' } });
  });

  it('applies a policy put in a transaction once that has committed, and never before', async () => {
    const { service, request, put } = setup();
    await put(keep('$.invoiceId'));
    await orm.em.fork().transactional(async () => {
      await put();
      expect(await service.redactFor(request)).toMatchObject({ policyVersion: 1 });
    });
    expect(await service.redactFor(request)).toMatchObject({ policyVersion: 2, payload: {} });
  });

  it('never applies a policy that was rolled back', async () => {
    const { service, request, put } = setup();
    const rolledBack = orm.em.fork().transactional(async () => {
      await put(keep('$'));
      expect(await service.redactFor(request)).toMatchObject({ payload: {} });
      throw new Error('roll back');
    });
    await expect(rolledBack).rejects.toThrow('roll back');
    expect(await service.redactFor(request)).toMatchObject({ payload: {}, policyId: null });
  });

  it('previews a policy that is not stored, and the lack of one', async () => {
    const { service, request } = setup();
    const draft = { policyId: randomUUID(), version: 7, rules: [keep('$.invoiceId')] };
    expect(await service.redactWith(draft, request)).toMatchObject({
      payload: { invoiceId: 'inv-1' },
      policyId: draft.policyId,
      policyVersion: 7,
    });
    expect(await service.redactWith(undefined, request)).toMatchObject({ payload: {}, policyId: null });
  });
});
