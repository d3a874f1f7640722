import { randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import { Inbox, InboxTransactionRequiredError, inboxEntities, type InboxOptions } from '@kernel/inbox';
import { createConsumerDatabase, type ConsumerDatabase } from '@kernel/test-support/consumer-database';
import { insertEffect, newEvent, SECRET } from '@kernel/test-support/signed-message';

describe('the inbox', () => {
  let database: ConsumerDatabase;
  beforeAll(async () => {
    database = await createConsumerDatabase();
  });
  afterAll(() => database.drop());

  const openInbox = (options: Partial<InboxOptions> = {}) =>
    Inbox.of(database.orm.em, { name: randomUUID(), keys: [SECRET], ...options });
  const effectsOf = async (eventId: string) =>
    (await database.query<{ n: number }>('select count(*)::int as n from effect where event_id = ?', [eventId]))[0]!.n;
  const lockedOut = async () =>
    (
      await database.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length;

  it('[ADR-11] has one effect of an event that comes twice', async () => {
    const inbox = openInbox();
    const event = newEvent();
    expect(await inbox.process(event, insertEffect)).toEqual({ kind: 'processed', order: { kind: 'unsequenced' } });
    expect(await inbox.process(event, insertEffect)).toEqual({ kind: 'duplicate' });
    expect(await inbox.process({ ...event, eventId: event.eventId.toUpperCase() }, insertEffect)).toEqual({
      kind: 'duplicate',
    });
    expect(await effectsOf(event.eventId)).toBe(1);
  });

  it('[ADR-11] has one effect of an event that comes forty times at once', async () => {
    const inbox = openInbox();
    const event = newEvent();
    const receptions = await Promise.all(Array.from({ length: 40 }, () => inbox.process(event, insertEffect)));
    expect(receptions.filter(({ kind }) => kind === 'processed')).toHaveLength(1);
    expect(await effectsOf(event.eventId)).toBe(1);
  });

  it('[ADR-11] takes an event whose work failed the next time, also when both come at once', async () => {
    const inbox = openInbox();
    const event = newEvent();
    const [begun, failed] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
    const failing = inbox.process(event, async (...args) => {
      await insertEffect(...args);
      begun.resolve();
      await failed.promise;
    });
    await begun.promise;
    const waiting = inbox.process(event, insertEffect);
    await waitFor(async () => (await lockedOut()) === 1, 'the second to wait for the first');
    failed.reject(new Error('out of stock'));
    await expect(failing).rejects.toThrow('out of stock');
    expect(await waiting).toMatchObject({ kind: 'processed' });
    expect(await inbox.process(event, insertEffect)).toEqual({ kind: 'duplicate' });
    expect(await effectsOf(event.eventId)).toBe(1);
  });

  it('marks in a transaction that the caller has, and rolls back with it', async () => {
    const inbox = openInbox();
    const event = newEvent();
    const em = database.orm.em.fork();
    await expect(inbox.mark(event, em)).rejects.toThrow(InboxTransactionRequiredError);
    await em.begin();
    expect(await inbox.mark(event, em)).toMatchObject({ kind: 'processed' });
    await em.rollback();
    await em.transactional(async (own) => expect(await inbox.mark(event, own)).toMatchObject({ kind: 'processed' }));
    await em.transactional(async (own) => expect(await inbox.mark(event, own)).toEqual({ kind: 'duplicate' }));
  });

  it('keeps inboxes of other names apart', async () => {
    const event = newEvent();
    await openInbox().process(event, insertEffect);
    await openInbox().process(event, insertEffect);
    expect(await effectsOf(event.eventId)).toBe(2);
  });

  describe('of a stream', () => {
    const stream = () => ({ tenantId: randomUUID(), streamKey: 'order:4711' });
    /** Sends events with these numbers, each with its predecessor, and returns how they were received. */
    const receiver =
      (inbox: Inbox, of = stream()) =>
      async (sequence: number, previousSequence: number | null) => {
        const reception = await inbox.process(newEvent({ ...of, sequence, previousSequence }), () => undefined);
        return reception.kind === 'processed' ? reception.order : reception.kind;
      };

    it('tells a gap from a filter', async () => {
      const receive = receiver(openInbox());
      expect(await receive(1, null)).toEqual({ kind: 'first' });
      expect(await receive(2, 1)).toEqual({ kind: 'in-order' });
      expect(await receive(6, 2)).toEqual({ kind: 'in-order' });
      expect(await receive(9, 8)).toEqual({ kind: 'gap', after: 6, upTo: 8 });
      expect(await receive(10, 9)).toEqual({ kind: 'in-order' });
      expect(await receive(8, 6)).toEqual({ kind: 'late', last: 10 });
    });

    it('lists gaps until they are filled, those within them too', async () => {
      const inbox = openInbox();
      const of = stream();
      const receive = receiver(inbox, of);
      await receive(1, null);
      await receive(5, 4);
      expect(await inbox.findGaps()).toEqual([{ ...of, after: 1, upTo: 4 }]);
      await receive(4, 3);
      expect(await inbox.findGaps()).toEqual([{ ...of, after: 1, upTo: 3 }]);
      await receive(3, 1);
      expect(await inbox.findGaps()).toEqual([]);
    });

    it('learns nothing from a repeat, whatever numbers that has: they are not signed', async () => {
      const inbox = openInbox();
      const of = stream();
      const event = newEvent({ ...of, sequence: 1, previousSequence: null });
      await inbox.process(event, insertEffect);
      expect(await inbox.process({ ...event, sequence: 99, previousSequence: 98 }, insertEffect)).toEqual({
        kind: 'duplicate',
      });
      expect(await receiver(inbox, of)(2, 1)).toEqual({ kind: 'in-order' });
    });

    it('does not mix the streams of two tenants', async () => {
      const inbox = openInbox();
      await receiver(inbox)(1, null);
      expect(await receiver(inbox)(2, 1)).toEqual({ kind: 'joined', previous: 1 });
    });

    it('refuses what comes behind a gap where it is told to, takes it when the gap is filled or given up', async () => {
      const inbox = openInbox({ gaps: 'refuse' });
      const of = stream();
      const receive = receiver(inbox, of);
      await receive(1, null);
      await expect(receive(3, 2)).rejects.toMatchObject({
        code: 'INBOX_STREAM_GAP',
        gap: { ...of, after: 1, upTo: 2 },
      });
      await receive(2, 1);
      expect(await receive(3, 2)).toEqual({ kind: 'in-order' });

      const repeated = newEvent({ ...of, sequence: 4, previousSequence: 3 });
      await inbox.process(repeated, insertEffect);
      await expect(receive(6, 5)).rejects.toMatchObject({ code: 'INBOX_STREAM_GAP' });
      await inbox.forgetStream(of);
      expect(await receive(6, 5)).toEqual({ kind: 'joined', previous: 5 });
      expect(await inbox.process(repeated, insertEffect)).toEqual({ kind: 'duplicate' });
    });

    it('leaves no mark behind a refused gap, even if the caller commits', async () => {
      const inbox = openInbox({ gaps: 'refuse' });
      const of = stream();
      await receiver(inbox, of)(1, null);
      const event = newEvent({ ...of, sequence: 3, previousSequence: 2 });
      await database.orm.em.fork().transactional(async (em) => {
        await expect(inbox.mark(event, em)).rejects.toMatchObject({ code: 'INBOX_STREAM_GAP' });
      });
      await receiver(inbox, of)(2, 1);
      expect(await inbox.process(event, insertEffect)).toMatchObject({ kind: 'processed' });
    });
  });

  it('forgets what is older than the retention, of its own name alone, in batches', async () => {
    const [inbox, other] = [openInbox({ name: 'short', retentionDays: 30 }), openInbox({ name: 'other' })];
    const [old, fresh] = [newEvent(), newEvent()];
    await Promise.all([old, fresh].flatMap((event) => [inbox, other].map((of) => of.process(event, insertEffect))));
    await database.query(`update processed_event set processed_at = now() - interval '31 days' where event_id = ?`, [
      old.eventId,
    ]);
    await database.query(
      `insert into processed_event (inbox, event_id, tenant_id, stream_key, processed_at)
       select 'short', gen_random_uuid(), gen_random_uuid(), 'order:1', now() - interval '40 days'
       from generate_series(1, 2100)`,
    );
    expect(await inbox.prune({ signal: AbortSignal.abort() })).toBe(1000);
    expect(await inbox.prune()).toBe(1101);
    expect(await inbox.prune()).toBe(0);
    expect(await inbox.process(fresh, insertEffect)).toEqual({ kind: 'duplicate' });
    expect(await other.process(old, insertEffect)).toEqual({ kind: 'duplicate' });
    expect(await inbox.process(old, insertEffect)).toMatchObject({ kind: 'processed' });
  });

  it('its table stands alone, agrees with its entity, and goes again', async () => {
    const tables = async () =>
      (await database.query<{ name: string }>(`select tablename as name from pg_tables where schemaname = 'public'`))
        .map(({ name }) => name)
        .sort();
    expect(await tables()).toEqual(['effect', 'mikro_orm_migrations', 'processed_event']);
    expect(inboxEntities).toHaveLength(1);
    const drift = await database.orm.schema.getUpdateSchemaSQL({ wrap: false });
    expect(drift.split('\n').filter((line) => line.includes('processed_event'))).toEqual([]);
    await database.orm.migrator.down();
    expect(await tables()).toEqual(['effect', 'mikro_orm_migrations']);
    await database.orm.migrator.up();
    expect(await tables()).toContain('processed_event');
  });
});
