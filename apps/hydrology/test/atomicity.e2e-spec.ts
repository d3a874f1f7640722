import {
  IdempotencyConflictError,
  IdempotencyKeyRequiredError,
  InvalidEventError,
  MisclassifiedEventError,
  OutboxService,
  runWithTrace,
} from '@kernel/eventbus';
import { EntityManager } from '@mikro-orm/postgresql';
import { ArtifactPublisher, type FinishedRun } from '../src/publication/artifact-publisher.js';
import { readObservations } from '../src/ingest/read-observations.js';
import { summariseFlow } from '../src/transform/summarise-flow.js';
import { GAUGES, startTestHydrology, type TestHydrology } from './start-test-hydrology.js';

/** Rows that commit with a run; the catalogue follows asynchronously. */
type Kept = Record<'versions' | 'state' | 'outbox' | 'streams', unknown[]>;

describe('state, artifact version and event', () => {
  let hydrology: TestHydrology;
  beforeAll(async () => {
    hydrology = await startTestHydrology();
    await hydrology.database.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused by the test'; end $$`,
    );
  });
  afterAll(() => hydrology.close());

  const kept = async (): Promise<Kept> => {
    const { versions, state, outbox, streams } = (await hydrology.everything()) as Kept;
    return { versions, state, outbox, streams };
  };
  const run = (checksum: string): FinishedRun => ({
    pipelineId: 'hydrology_flow_test',
    datasetId: 'hydrology_flow_ks',
    version: 'v9.0.0',
    idempotencyKey: 'sha256:of-the-same-inputs',
    artifact: { uri: 'kfm://artifacts/x.geojson', checksum: `sha256:${checksum.repeat(64)}`, byteSize: 1 },
    summary: summariseFlow(readObservations(GAUGES)),
  });

  it.each(['hydrology_artifact_version', 'hydrology_pipeline_state', 'kernel_outbox_event'])(
    '[KFM-2] are all missing when %s cannot be written, and all there when the run is repeated',
    async (table) => {
      const version = `v0.0.${table.length}`;
      const before = await kept();
      await hydrology.database.alter(
        `create trigger refuse before insert on ${table} for each row execute function refuse()`,
      );
      await expect(hydrology.pipeline.run(GAUGES, version)).rejects.toThrow('refused by the test');
      expect(await kept()).toEqual(before);
      await hydrology.database.alter(`drop trigger refuse on ${table}`);

      const repeated = await hydrology.pipeline.run(GAUGES, version);
      expect(repeated.isRepeat).toBe(false);
      const after = await kept();
      expect(after.versions).toHaveLength(before.versions.length + 1);
      expect(after.outbox).toHaveLength(before.outbox.length + 1);
      expect(after.state).toMatchObject([{ version, publications: before.versions.length + 1 }]);
    },
  );

  it('[KFM-5] are refused when the same inputs gave another artifact', async () => {
    const publisher = hydrology.app.get(ArtifactPublisher, { strict: false });
    const publish = (checksum: string) => runWithTrace('trace-of-the-test', () => publisher.publish(run(checksum)));
    expect(await publish('a')).toMatchObject({ isRepeat: false });
    const before = await kept();
    await expect(publish('b')).rejects.toThrow(IdempotencyConflictError);
    expect(await kept()).toEqual(before);
  });

  it('[KFM-11] [KFM-12] no event without a key, nor one that says more of a site than is declared', async () => {
    const outbox = hydrology.app.get(OutboxService);
    const em = hydrology.app.get(EntityManager);
    const { summary, artifact, ...rest } = run('c');
    const { careLabel } = summary;
    const event = {
      type: 'artifact.published.v1',
      tenantId: '00000000-0000-4000-8000-000000000913',
      streamKey: 'dataset:x',
      payload: { datasetId: 'x', version: 'v1', artifactUri: artifact.uri, checksum: artifact.checksum, ...summary },
      attributes: { ...rest, artifactChecksum: artifact.checksum, careLabel },
      traceId: 'trace-of-the-test',
    };
    const publish = (changes: object) => em.transactional(() => outbox.publish({ ...event, ...changes }));
    await expect(publish({})).rejects.toThrow(IdempotencyKeyRequiredError);
    const open = [{ ...summary.sites.open[0]!, landowner: 'Ada' }];
    const payload = { ...event.payload, sites: { open, restricted: [] } };
    await expect(publish({ idempotencyKey: 'k', payload })).rejects.toThrow(InvalidEventError);
    const unlabelled = { ...event.attributes, careLabel: undefined };
    await expect(publish({ idempotencyKey: 'k', attributes: unlabelled })).rejects.toThrow(MisclassifiedEventError);
  });
});
