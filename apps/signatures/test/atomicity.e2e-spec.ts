import { expectStatus, newRequest, startTestSignatures, type TestSignatures } from './start-test-signatures.js';

describe('a use case', () => {
  let signatures: TestSignatures;
  let id: string;
  beforeAll(async () => {
    signatures = await startTestSignatures();
    id = await signatures.start();
    await signatures.post(`/signature-requests/${id}/challenge`).then(expectStatus(200));
    await signatures.database.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused by the test'; end $$`,
    );
  });
  afterAll(() => signatures.close());

  const everything = async () => ({
    requests: await signatures.database.query('select * from signature_request order by signature_request_id'),
    events: await signatures.database.query('select event_id from kernel_outbox_event order by event_id'),
  });
  const useCases: [string, () => [path: string, body?: object]][] = [
    ['start', () => ['/signature-requests', newRequest(signatures.tenantId)]],
    ['send challenge', () => [`/signature-requests/${id}/challenge`]],
    ['complete, with a wrong answer', () => [`/signature-requests/${id}/complete`, { code: '000000' }]],
    ['abort', () => [`/signature-requests/${id}/abort`, { reason: 'CUSTOMER' }]],
  ];

  it.each(useCases)(
    '[AC7] [AC10] keeps neither state nor event when the event cannot be written: %s',
    async (_, call) => {
      const before = await everything();
      await signatures.database.alter(
        `create trigger refuse before insert on kernel_outbox_event for each row execute function refuse()`,
      );
      const { body } = await signatures.post(...call()).then(expectStatus(500));
      expect(body).toMatchObject({
        type: 'urn:kernel:problem:internal-error',
        detail: 'something went wrong on our side',
      });
      await signatures.database.alter('drop trigger refuse on kernel_outbox_event');
      expect(await everything()).toEqual(before);
    },
  );

  it.each(useCases)('[AC7] publishes nothing when the aggregate cannot be written: %s', async (_, call) => {
    const before = await everything();
    await signatures.database.alter(
      `create trigger refuse before insert or update on signature_request for each row execute function refuse()`,
    );
    await signatures.post(...call()).then(expectStatus(500));
    await signatures.database.alter('drop trigger refuse on signature_request');
    expect(await everything()).toEqual(before);
  });
});
