import { MikroORM, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { sql, type Kysely } from 'kysely';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { inHotTransaction, PLANNED_EACH_TIME } from '@kernel/runtime';

describe('a transaction of the hot path', () => {
  let database: TestDatabase;
  let orm: MikroORM;
  let db: Kysely<unknown>;
  beforeAll(async () => {
    database = await createTestDatabase();
    await database.query('create table mark (text text not null)');
    orm = await MikroORM.init({ ...database.ormOptions, driver: PostgreSqlDriver, pool: { min: 1, max: 1 } });
    db = orm.em.fork().getKysely<unknown>();
  });
  beforeEach(() => database.query('truncate mark'));
  afterAll(async () => {
    await orm.close(true);
    await database.drop();
  });

  const mark = (trx: Kysely<unknown>, text: string | null) => sql`insert into mark values (${text})`.execute(trx);
  const marks = async () => (await database.query<{ text: string }>('select text from mark')).map(({ text }) => text);
  const settings = async (on: Kysely<unknown>) => {
    const { rows } = await sql<{ scan: string; mode: string }>`
      select current_setting('enable_seqscan') as scan, current_setting('plan_cache_mode') as mode
    `.execute(on);
    return rows[0];
  };

  it('commits what was done and gives back what came of it', async () => {
    expect(await inHotTransaction(db, async (trx) => (await mark(trx, 'kept'), 5))).toBe(5);
    expect(await marks()).toEqual(['kept']);
  });

  it('rolls everything back, tells the first error, and leaves the connection as it was', async () => {
    const failing = inHotTransaction(db, async (trx) => {
      await mark(trx, 'lost');
      await mark(trx, null);
    });
    await expect(failing).rejects.toThrow(/null value/);
    expect(await marks()).toEqual([]);
    await inHotTransaction(db, (trx) => mark(trx, 'after'));
    expect(await marks()).toEqual(['after']);
  });

  it('is ended by the server when whoever began it falls silent, so that nobody waits for its locks', async () => {
    const limitOf = async (on: Kysely<unknown>) => {
      const { rows } = await sql<{ limit: string }>`
        select current_setting('idle_in_transaction_session_timeout') as limit
      `.execute(on);
      return rows[0]!.limit;
    };
    const before = await limitOf(db);
    expect(await inHotTransaction(db, limitOf)).toBe('10s');
    expect(await limitOf(db)).toBe(before);
  });

  it('plans for looking up rows while it lasts, and not a moment longer', async () => {
    const before = await settings(db);
    expect(await inHotTransaction(db, settings)).toEqual({ scan: 'off', mode: 'force_generic_plan' });
    expect(await inHotTransaction(db, settings, PLANNED_EACH_TIME)).toEqual({ scan: 'off', mode: 'force_custom_plan' });
    expect(await settings(db)).toEqual(before);
  });

  it('joins the transaction that runs already', async () => {
    const outer = db.transaction().execute(async (trx) => {
      await inHotTransaction(trx, (inner) => mark(inner, 'inside'));
      throw new Error('taken back');
    });
    await expect(outer).rejects.toThrow('taken back');
    expect(await marks()).toEqual([]);
  });
});
