import { createHash, randomUUID } from 'node:crypto';
import {
  CorrelationIdProvider,
  EventPublisher,
  OutboxRepository,
  OutboxTransactionRequiredError,
  runWithTrace,
  UnknownEventError,
  type OutboxEvent,
} from '@kernel/eventbus';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { DocumentSigned, SignDocument } from './sign-document.js';

describe('the port EventPublisher and its adapter, the outbox', () => {
  const tenantId = randomUUID();
  let kernel: KernelApp;
  let repository: OutboxRepository;
  let events: EventPublisher;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api', providers: [SignDocument] });
    await kernel.database.query('create table signed_document (document_id uuid primary key, pages int not null)');
    repository = kernel.app.get(OutboxRepository);
    events = kernel.app.get(EventPublisher);
  });
  afterAll(() => kernel.close());

  const sign = (documentId: string, pages = 3) => kernel.app.get(SignDocument).execute(tenantId, documentId, pages);
  const publishedOf = (aggregateId: string): Promise<OutboxEvent[]> =>
    repository.findByAggregate({ tenantId, aggregateId, aggregateType: 'Document' });

  it('[AC3] [AC4] [AC5] [AC10] keeps the event with everything that belongs to it, not yet published', async () => {
    const documentId = randomUUID();
    await runWithTrace('request-0001', () => sign(documentId));
    const [event, ...others] = await publishedOf(documentId);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      eventId: expect.stringMatching(/^.{8}-.{4}-7/),
      tenantId,
      aggregateType: 'Document',
      aggregateId: documentId,
      type: 'document.signed.v1',
      streamKey: `Document:${documentId}`,
      traceId: 'request-0001',
      payload: { documentId, pages: 3 },
      attributes: { version: '1.0.0' },
      status: 'PENDING',
      publishedAt: null,
    });
    const canonical = `{"documentId":"${documentId}","pages":3}`;
    expect(event!.payloadHash).toBe(createHash('sha256').update(canonical).digest('hex'));
  });

  it('[AC7] [AC10] keeps neither state nor event when the transaction rolls back', async () => {
    const documentId = randomUUID();
    await sign(documentId);
    await expect(sign(documentId, 4)).rejects.toThrow('duplicate key');
    expect(await publishedOf(documentId)).toHaveLength(1);
  });

  it('[AC4] needs a running transaction', async () => {
    const event = new DocumentSigned(tenantId, randomUUID(), 1);
    await expect(events.publish(event)).rejects.toThrow(OutboxTransactionRequiredError);
    expect(await publishedOf(event.aggregateId)).toEqual([]);
  });

  it('[AC2] [AC10] finds the events of an aggregate in the order of their creation, and of its tenant only', async () => {
    const documentId = randomUUID();
    const all = [1, 2, 3].map((pages) => ({ ...new DocumentSigned(tenantId, documentId, pages), version: '2.1.0' }));
    await kernel.em.transactional(() => events.publishAll(all));
    await sign(documentId, 4);
    const found = await publishedOf(documentId);
    expect(found.map(({ payload }) => payload.pages)).toEqual([1, 2, 3, 4]);
    expect(found.map(({ attributes }) => attributes.version)).toEqual(['2.1.0', '2.1.0', '2.1.0', '1.0.0']);
    expect(await repository.findByAggregate({ tenantId: randomUUID(), aggregateId: documentId })).toEqual([]);
    expect(await repository.findByAggregate({ tenantId, aggregateId: documentId, aggregateType: 'Other' })).toEqual([]);
  });

  it('[AC2] gives the events of an aggregate page by page, none twice and none left out', async () => {
    const documentId = randomUUID();
    const all = Array.from({ length: 7 }, (_, page) => new DocumentSigned(tenantId, documentId, page));
    await kernel.em.transactional(() => events.publishAll(all));
    // Within one millisecond, the resolution of a Date.
    const pages: number[][] = [];
    for (let after: string | undefined; pages.length < 5;) {
      const page = await repository.findByAggregate({ tenantId, aggregateId: documentId, limit: 3, after });
      pages.push(page.map(({ payload }) => payload.pages as number));
      after = page.at(-1)?.eventId;
      if (!after) break;
    }
    expect(pages).toEqual([[0, 1, 2], [3, 4, 5], [6], []]);
    expect(await repository.findByAggregate({ tenantId, aggregateId: documentId, limit: 5_000 })).toHaveLength(7);
    const [foreign] = await repository.findPending({ limit: 1 });
    for (const after of [randomUUID(), foreign!.eventId]) {
      const going = repository.findByAggregate({ tenantId, aggregateId: documentId, after });
      await expect(going).rejects.toThrow(UnknownEventError);
    }
  });

  it('[AC2] gives 100 events of an aggregate where no limit is asked for', async () => {
    const documentId = randomUUID();
    const all = Array.from({ length: 101 }, (_, page) => new DocumentSigned(tenantId, documentId, page));
    await kernel.em.transactional(() => events.publishAll(all));
    expect(await publishedOf(documentId)).toHaveLength(100);
  });

  it('[AC2] finds and counts what is pending, oldest first', async () => {
    const other = randomUUID();
    const documents = [randomUUID(), randomUUID(), randomUUID()];
    for (const documentId of documents) {
      await kernel.em.transactional(() => events.publish(new DocumentSigned(other, documentId, 1)));
    }
    await kernel.database.query(
      `update kernel_outbox_event set status = 'PUBLISHED', published_at = now() where aggregate_id = $1`,
      [documents[1]],
    );
    expect(await repository.countPending({ tenantId: other })).toBe(2);
    expect(await repository.countPending()).toBeGreaterThan(2);
    const pending = await repository.findPending({ tenantId: other });
    expect(pending.map(({ aggregateId }) => aggregateId)).toEqual([documents[0], documents[2]]);
    expect(await repository.findPending({ limit: 1 })).toHaveLength(1);
  });

  it('[AC8] takes the correlation id of the request, and generates one once where there is none', async () => {
    const correlation = kernel.app.get(CorrelationIdProvider);
    expect(runWithTrace('request-0002', () => correlation.current())).toBe('request-0002');
    const documents = [randomUUID(), randomUUID()];
    const job = async () => {
      const first = correlation.current();
      await sign(documents[0]!);
      await sign(documents[1]!);
      return [first, correlation.current()];
    };
    // Outside of any request, like the start of a process.
    const [first, second] = await new Promise<string[]>((done, failed) => {
      setImmediate(() => void job().then(done, failed));
    });
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
    const traces = await Promise.all(documents.map(async (documentId) => (await publishedOf(documentId))[0]!.traceId));
    expect(traces).toEqual([first, first]);
  });
});
