import { randomUUID } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import fc from 'fast-check';
import { sentinelPayload, sentinelRules } from '@kernel/test-support/sentinels';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import type { EventPrivacy } from './classification/event-privacy.js';
import type { PolicyRule } from './policy/policy-rule.js';
import { PolicyStore } from './policy/policy-store.js';
import { privacyEntities } from './policy/privacy-policy.entity.js';
import { resolvePrivacyOptions } from './privacy.options.js';
import { RedactionService } from './redaction.service.js';

const keep = (path: string): PolicyRule => ({ path, action: 'keep' });
const payload = { careLabel: 'restricted', site: [-96.5678, 39.1234], owner: 'Ada' };

describe('RedactionService, with types that are declared', () => {
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

  function setup(privacy: EventPrivacy) {
    const store = new PolicyStore(orm.em);
    const owner = { tenantId: randomUUID(), eventType: `well.${randomUUID()}` };
    const service = new RedactionService(
      store,
      resolvePrivacyOptions({
        tenantHashKey: (tenantId) => Buffer.from(`key of ${tenantId}`),
        eventPrivacy: (type) => (type === owner.eventType ? privacy : undefined),
      }),
    );
    const put = (tenantId: string | null, ...rules: PolicyRule[]) =>
      store.put({ tenantId, eventType: owner.eventType, rules, createdBy: 'ada' });
    return { owner, service, put, redact: () => service.redactFor({ ...owner, payload }) };
  }

  it("[KER-6d] applies the type's own rules as version 0, the stored default before them, the tenant's before that", async () => {
    const { owner, put, redact } = setup({ rules: [{ path: '$.site', action: 'coarsen', decimals: 1 }] });
    expect(await redact()).toMatchObject({ payload: { site: [-96.6, 39.1] }, policyId: null, policyVersion: 0 });
    const stored = await put(null, keep('$.owner'));
    expect(await redact()).toMatchObject({ payload: { owner: 'Ada' }, policyId: stored.policyId, policyVersion: 1 });
    await put(owner.tenantId);
    expect(await redact()).toMatchObject({ payload: {}, policyVersion: 1 });
  });

  it('[KFM-7] lets labels out under every policy, and under none', async () => {
    const { owner, put, redact } = setup({ labels: ['$.careLabel'] });
    const { careLabel } = payload;
    expect(await redact()).toMatchObject({ payload: { careLabel }, policyVersion: null });
    await put(owner.tenantId, keep('$.owner'), { path: '$.careLabel', action: 'drop' });
    expect(await redact()).toMatchObject({ payload: { careLabel, owner: 'Ada' }, policyVersion: 1 });
  });

  it.each(['$.governance[*].note', '$[*].note'])(
    '[KFM-7] lets labels out of what %s does not fit, and nothing else of it',
    async (path) => {
      const { owner, put, service } = setup({ labels: ['$.governance.careLabel', '$.governance.by.nation'] });
      await put(owner.tenantId, keep('$'), { path, action: 'drop' });
      const by = { nation: 'Kaw', person: 'Ada' };
      const governance = { careLabel: 'restricted', by, deep: { note: 'secret' } };
      expect(await service.redactFor({ ...owner, payload: { governance } })).toMatchObject({
        payload: { governance: { careLabel: 'restricted', by: { nation: 'Kaw' } } },
        removed: ['$.governance.by.person', '$.governance.deep.note'].map((at) => ({
          path: at,
          reason: 'wrong-shape',
        })),
      });
    },
  );

  it('gives back the very text where nothing is taken out, without reading it where all is kept', async () => {
    const { owner, service, put } = setup({});
    const payloadJson = '{ "a":  1.0, "b": [ ] }';
    await put(owner.tenantId, keep('$.a'), keep('$.b'));
    expect(await service.redactJson({ ...owner, payloadJson })).toMatchObject({ payloadJson, removed: [] });
    await put(owner.tenantId, keep('$'), keep('$.a'), keep('@actorId'));
    expect(await service.redactJson({ ...owner, payloadJson: 'never read' })).toEqual({
      payloadJson: 'never read',
      removed: [],
      changed: [],
      policyId: expect.any(String),
      policyVersion: 2,
      keepsActorId: true,
    });
  });

  it('makes of a text what it makes of the payload', async () => {
    const rules: PolicyRule[] = [];
    const { owner, service } = setup({ rules });
    await fc.assert(
      fc.asyncProperty(sentinelPayload, sentinelRules, async (given, drawn) => {
        rules.splice(0, rules.length, ...drawn.map(({ rule }) => rule));
        const tenantId = randomUUID();
        const { payload: expected, ...facts } = await service.redactFor({ ...owner, tenantId, payload: given.payload });
        const { payloadJson, ...told } = await service.redactJson({
          ...owner,
          tenantId,
          payloadJson: JSON.stringify(given.payload),
        });
        expect(payloadJson).toBe(JSON.stringify(expected));
        expect(told).toEqual(facts);
      }),
      { numRuns: 50 },
    );
  });
});
