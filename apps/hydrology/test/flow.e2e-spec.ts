import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@kernel/eventbus/testing';
import type { RunResult } from '../src/pipeline/flow-pipeline.js';
import { OutboxRecords } from '../src/records/outbox-records.js';
import { GAUGES, startTestHydrology, type TestHydrology } from './start-test-hydrology.js';

describe('the hydrology flow', () => {
  let hydrology: TestHydrology;
  let run: RunResult;
  beforeAll(async () => {
    hydrology = await startTestHydrology();
    run = await hydrology.pipeline.run(GAUGES, 'v1.0.0');
    await catalogued(1);
  });
  afterAll(() => hydrology.close());

  const catalogue = async () => (await hydrology.http.get('/catalogue').expect(200)).body;
  const catalogued = (count: number) =>
    waitFor(async () => (await catalogue()).features.length === count, `${count} items in the catalogue`);
  const records = () => hydrology.app.get(OutboxRecords).list();

  it('[CARD-5] [KFM-13] writes an artifact whose checksum is in the artifact version, the event and the catalogue', async () => {
    const path = run.artifactUri.replace('kfm://artifacts/', '');
    const bytes = await readFile(join(hydrology.settings.artifactFolder, path));
    const digest = createHash('sha256').update(bytes).digest('hex');
    expect(run.checksum).toBe(`sha256:${digest}`);
    const [version] = await hydrology.database.query('select * from hydrology_artifact_version');
    expect(version).toMatchObject({ checksum: run.checksum, byte_size: String(bytes.length), version: 'v1.0.0' });
    const [record] = await records();
    expect(record!.payload).toMatchObject({ checksum: run.checksum, artifactUri: run.artifactUri });
    const { features } = await catalogue();
    expect(features[0].assets.data).toMatchObject({ href: run.artifactUri, 'file:checksum': `1220${digest}` });
  });

  it('[KFM-13] [KFM-2] registers version, state and event of one run', async () => {
    const { pipelineId, datasetId, version, idempotencyKey } = run;
    expect(await hydrology.everything()).toMatchObject({
      versions: [{ pipeline_id: pipelineId, dataset_id: datasetId, version, idempotency_key: idempotencyKey }],
      state: [{ pipeline_id: pipelineId, dataset_id: datasetId, version, publications: 1 }],
      outbox: [{ event_id: run.eventId, attributes: { pipelineId, datasetId, version, careLabel: 'restricted' } }],
    });
  });

  it('[KFM-1] shows the record of the specification, field by field', async () => {
    const [record, ...others] = await waitFor(async () => {
      const found = await records();
      return found[0]?.status === 'dispatched' && found;
    }, 'the record to be dispatched');
    expect(others).toEqual([]);
    expect(record).toEqual({
      outboxId: run.eventId,
      pipelineId: run.pipelineId,
      eventName: 'artifact.published.v1',
      datasetId: 'hydrology_flow_ks',
      version: 'v1.0.0',
      idempotencyKey: run.idempotencyKey,
      payload: expect.objectContaining({ datasetId: 'hydrology_flow_ks', careLabel: 'restricted' }),
      status: 'dispatched',
      attempt: 1,
      lastError: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(record!.updatedAt >= record!.createdAt).toBe(true);
  });

  it('[KFM-9] logs the telemetry of the dispatch, with the pipeline', async () => {
    const line = await waitFor(
      () => hydrology.logged().find(({ telemetry }) => telemetry !== undefined),
      'a line with telemetry',
    );
    expect(line.telemetry).toEqual({
      outboxId: run.eventId,
      pipelineId: run.pipelineId,
      eventName: 'artifact.published.v1',
      dispatchStatus: 'success',
      attempt: 1,
      latencyMs: expect.any(Number),
      duplicateDetected: false,
    });
  });

  it('[KFM-8] has its facts in the ledger, with dataset and care label', async () => {
    const kinds = await waitFor(async () => {
      const { body } = await hydrology.admin.get(`/admin/eventbus/audit?eventId=${run.eventId}`).expect(200);
      return body.items.length >= 3 && body.items;
    }, 'the entries of the event');
    expect(kinds.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['attempt', 'delivered', 'published']);
    for (const entry of kinds) {
      expect(entry).toMatchObject({
        eventId: run.eventId,
        eventType: 'artifact.published.v1',
        attributes: { datasetId: 'hydrology_flow_ks', careLabel: 'restricted', pipelineId: run.pipelineId },
      });
    }
  });

  it('[KFM-5] [KFM-6] changes nothing when it runs again, and says so', async () => {
    const before = await hydrology.everything();
    const again = await Promise.all(Array.from({ length: 5 }, () => hydrology.pipeline.run(GAUGES, 'v1.0.0')));
    for (const repeat of again) {
      expect(repeat).toEqual({ ...run, pipelineId: repeat.pipelineId, isRepeat: true });
    }
    expect(await hydrology.everything()).toEqual(before);
    const repeats = await hydrology.database.query(
      `select event_id from kernel_ledger_entry where kind = 'duplicate-detected'`,
    );
    expect(repeats).toEqual(Array(5).fill({ event_id: run.eventId }));
  });

  it('[KFM-6] [KFM-13] updates the catalogue once, also when the delivery is replayed', async () => {
    const before = await hydrology.everything();
    const { body } = await hydrology.admin.get(`/admin/eventbus/deliveries?eventId=${run.eventId}`).expect(200);
    const { deliveryId } = body.items[0];
    await hydrology.admin.post(`/admin/eventbus/deliveries/${deliveryId}/replay`).send({ reason: 'test' }).expect(202);
    await waitFor(async () => {
      const { body: delivery } = await hydrology.admin.get(`/admin/eventbus/deliveries/${deliveryId}`);
      return delivery.status === 'DELIVERED' && delivery.attemptLog.length === 2;
    }, 'the second delivery');
    expect(await hydrology.everything()).toEqual(before);
    expect(before).toMatchObject({ catalogue: [{ revision: 1, event_id: run.eventId }] });
  });

  it('refuses a version that was published from other inputs, and keeps nothing of it', async () => {
    const before = await hydrology.everything();
    const changed = GAUGES.replace(',1840,', ',1841,');
    await expect(hydrology.pipeline.run(changed, 'v1.0.0')).rejects.toMatchObject({ code: 'HYDROLOGY_VERSION_TAKEN' });
    expect(await hydrology.everything()).toEqual(before);
  });

  it('publishes other inputs under another version, beside the first', async () => {
    const changed = GAUGES.replace(',1840,', ',1841,');
    const second = await hydrology.pipeline.run(changed, 'v1.1.0');
    await catalogued(2);
    const ids = (await catalogue()).features.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['hydrology_flow_ks_v1.0.0', 'hydrology_flow_ks_v1.1.0']);
    expect(second.idempotencyKey).not.toBe(run.idempotencyKey);
    expect(await hydrology.everything()).toMatchObject({ state: [{ version: 'v1.1.0', publications: 2 }] });
  });
});
