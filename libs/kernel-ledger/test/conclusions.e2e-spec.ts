import { createHash } from 'node:crypto';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { SealedLedger } from '@kernel/test-support/sealed-ledger';
import { hashEntries, readEntryTexts } from '../src/sealing/entries.sql.js';

const ENTRY_ID = '01a1e28f-1515-715a-8e36-821e999ad4d1';
const RECORDED_AT = '2026-11-16T08:30:02.123456Z';
/** Exactly as it was hashed before entries had a conclusion. */
const WITHOUT_CONCLUSION =
  `{"entryId":"${ENTRY_ID}","recordedAt":"${RECORDED_AT}","kind":"attempt","tenantId":null,"eventId":null,` +
  '"eventType":"invoice.created.v1","deliveryId":null,"endpointId":null,"traceId":"trace-ü","actor":"kernel",' +
  '"attempt":1,"statusCode":204,"latencyMs":7,"errorClass":null,"error":null,"responseExcerpt":"\\"ok\\"}",' +
  '"policyId":null,"policyVersion":null,"removedPaths":null,"bodySha256":null,"reason":null,' +
  '"detail":{"handoff": "accepted"},"aggregateType":null,"aggregateId":null,"attributes":null}';

describe('the conclusion of an attempt', () => {
  let kernel: KernelApp;
  let ledger: SealedLedger;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api', sealing: { lagMs: 0 } });
    ledger = new SealedLedger(kernel);
  });
  afterAll(() => kernel.close());
  beforeEach(() => ledger.clear());

  const append = (conclusion: string | null) =>
    kernel.database.query(
      `insert into kernel_ledger_entry (entry_id, recorded_at, kind, event_type, trace_id, actor, attempt, status_code,
         latency_ms, response_excerpt, detail, conclusion)
       values ($1, $2, 'attempt', 'invoice.created.v1', 'trace-ü', 'kernel', 1, 204, 7, '"ok"}',
         '{"handoff": "accepted"}', $3)`,
      [ENTRY_ID, RECORDED_AT, conclusion],
    );
  const range = [RECORDED_AT, '2026-11-16T08:30:03.000000Z'] as const;
  const texts = () => readEntryTexts(kernel.em.fork().getKysely(), ...range);

  it('[KER-1] is the end of the sealed text, and the text of an entry without one is what it has always been', async () => {
    await append(null);
    expect(await texts()).toEqual([WITHOUT_CONCLUSION]);
    const { entryHashes } = await hashEntries(kernel.em.fork().getKysely(), ...range);
    expect(entryHashes).toEqual(createHash('sha256').update(WITHOUT_CONCLUSION).digest());

    await ledger.clear();
    await append('delivered');
    const [text] = await texts();
    expect(text).toBe(`${WITHOUT_CONCLUSION.slice(0, -1)},"conclusion":"delivered"}`);
    expect(JSON.parse(text!)).toMatchObject({ kind: 'attempt', conclusion: 'delivered' });
  });

  it.each([
    [null, `'delivered'`],
    ['delivered', 'null'],
    ['retry', `'delivered'`],
    ['dead-lettered', `'retry'`],
  ])('[KER-1] is protected by the seal: %s, altered to %s, is found', async (conclusion, altered) => {
    await append(conclusion);
    await ledger.sealer.seal();
    expect(await ledger.verifier.verify()).toMatchObject({ isIntact: true, verifiedEntries: 1 });
    await ledger.tamper(`update kernel_ledger_entry set conclusion = ${altered}`);
    expect(await ledger.verifier.verify()).toMatchObject({
      isIntact: false,
      firstBroken: { fault: 'altered', entryId: ENTRY_ID },
    });
  });

  it('[KER-1] is sealed by no worker of an earlier version, which would leave it out', async () => {
    await expect(
      kernel.database.query(
        `insert into kernel_ledger_seal
           (batch_number, from_time, to_time, entry_count, entry_ids, entry_hashes, previous_seal, seal)
         values (1, '-infinity', now(), 0, '', '', '', '')`,
      ),
    ).rejects.toThrow('format');
  });
});
