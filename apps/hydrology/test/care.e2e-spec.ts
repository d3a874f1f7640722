import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { KFM_TENANT_ID } from '../src/main.js';
import { OutboxRecords } from '../src/records/outbox-records.js';
import { GAUGES, startTestHydrology, type TestHydrology } from './start-test-hydrology.js';

/** Must not leak of the restricted site: its exact location and its name. */
const EXACT = /39\.47\d|-95\.75\d/;
const NAME = /ceremonial|Soldier/;

describe('what leaves the pipeline', () => {
  let hydrology: TestHydrology;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    hydrology = await startTestHydrology();
    receiver = await WebhookReceiver.start();
  });
  afterAll(async () => {
    await hydrology.close();
    await receiver.stop();
  });

  const addEndpoint = () =>
    hydrology.admin
      .post('/admin/eventbus/endpoints')
      .send({ tenantId: KFM_TENANT_ID, url: receiver.url, subscribedTypes: ['artifact.published.v1'] })
      .expect(201);

  it('[KFM-7] tells others coarsely where restricted sites are, with every label', async () => {
    await addEndpoint();
    await hydrology.pipeline.run(GAUGES, 'v1.0.0');
    const [webhook] = await receiver.receives(1);
    expect(webhook!.body.payload).toMatchObject({
      careLabel: 'restricted',
      sovereignty: 'Example Nation',
      governanceRef: 'kfm:governance/example-nation/2025-03',
      sites: {
        restricted: [{ siteId: 'KFM-R01', coordinates: [-95.8, 39.5], observations: 2, meanFlowCms: 0.093 }],
        open: expect.arrayContaining([
          expect.objectContaining({ siteId: '06889000', coordinates: [-95.6494, 39.0667] }),
        ]),
      },
    });
    const text = webhook!.raw.toString();
    expect(text).not.toMatch(NAME);
    expect(text).not.toContain('-95.75');
    expect(text).not.toContain('39.47');
  });

  it('[KFM-7] [KFM-12] keeps the exact place out of the outbox, the ledger, the log and the catalogue', async () => {
    const [record] = await hydrology.app.get(OutboxRecords).list();
    expect(record!.payload).toMatchObject({ sites: { restricted: [{ coordinates: [-95.75, 39.47] }] } });
    const { body: catalogue } = await hydrology.http.get('/catalogue').expect(200);
    const ledger = await hydrology.database.query('select * from kernel_ledger_entry');
    for (const place of [record, catalogue, ledger, hydrology.logged()]) {
      expect(JSON.stringify(place)).not.toMatch(EXACT);
    }
    expect(JSON.stringify([catalogue, ledger, hydrology.logged()])).not.toMatch(NAME);
  });

  it('[KFM-7] sends the labels although a policy keeps nothing', async () => {
    await hydrology.admin
      .put('/admin/eventbus/policies/artifact.published.v1')
      .send({ tenantId: KFM_TENANT_ID, rules: [{ path: '$.sites', action: 'drop' }] })
      .expect(200);
    await hydrology.pipeline.run(GAUGES, 'v2.0.0');
    const [, webhook] = await receiver.receives(2);
    expect(webhook!.body.payload).toEqual({
      careLabel: 'restricted',
      sovereignty: 'Example Nation',
      governanceRef: 'kfm:governance/example-nation/2025-03',
    });
  });

  it('[KFM-1] [KFM-4] stays failed, with its error, when somebody refuses it for good', async () => {
    receiver.otherwise(400);
    const { eventId } = await hydrology.pipeline.run(GAUGES, 'v3.0.0');
    const record = await waitFor(async () => {
      const records = await hydrology.app.get(OutboxRecords).list();
      return records.find(({ outboxId, status }) => outboxId === eventId && status === 'failed');
    }, 'the record to be failed');
    expect(record).toMatchObject({ attempt: 1, lastError: expect.stringContaining('400'), version: 'v3.0.0' });
  });
});
