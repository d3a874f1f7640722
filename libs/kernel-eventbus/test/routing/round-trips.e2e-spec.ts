import { sql } from 'kysely';
import { executeAlone, readThenWrite } from '@kernel/runtime';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { TableWatcher } from './table-watcher.js';

describe('a transaction that reads and then writes', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api' });
    await kernel.database.query('create table told (id int primary key)');
  });
  afterAll(() => kernel.close());

  const read = { text: 'select 7 as seven', values: [] };
  const insert = (id: number) => ({ text: 'insert into told values ($1)', values: [id] });
  const told = async () =>
    (await kernel.database.query<{ id: number }>('select id from told order by id')).map(({ id }) => id);

  it('is committed with what it writes', async () => {
    const rows = await readThenWrite(kernel.em, read, async (found, { commitWith }) => {
      await commitWith(insert(1));
      return found;
    });
    expect(rows).toEqual([{ seven: 7 }]);
    expect(await told()).toContain(1);
  });

  it('has what it writes on its way before anything else is done', async () => {
    const watcher = await TableWatcher.start(kernel.database.url, 2);
    await readThenWrite(kernel.em, read, async (_, { commitWith }) => {
      const committed = commitWith(insert(2));
      // This thread is blocked; the server works on.
      expect(watcher.blockUntilTold()).toBe(true);
      await committed;
    });
    await watcher.stop();
  });

  it('changes nothing and gives its connection back where nothing is written, something fails, or the work throws', async () => {
    const inserting = { text: 'insert into told values (3) returning id', values: [] };
    const twice = { text: 'insert into told select 4 from generate_series(1, 2)', values: [] };
    for (let turn = 0; turn < 30; turn++) {
      expect(await readThenWrite(kernel.em, inserting, async (rows) => rows)).toEqual([{ id: 3 }]);
      const failing = { text: 'select 1 / 0', values: [] };
      await expect(readThenWrite(kernel.em, failing, async () => 1)).rejects.toThrow(/zero/);
      const throwing = readThenWrite(kernel.em, read, async () => {
        throw new Error('no answer');
      });
      await expect(throwing).rejects.toThrow('no answer');
      await expect(readThenWrite(kernel.em, read, (_, { commitWith }) => commitWith(twice))).rejects.toThrow(
        /duplicate key/,
      );
    }
    expect(await told()).toEqual(expect.not.arrayContaining([3, 4]));
  });
});

describe('a statement with a round trip of its own', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api' });
  });
  afterAll(() => kernel.close());

  it('is undone when it fails, tells why, and gives its connection back', async () => {
    await kernel.database.query('create table made_here (id int primary key)');
    for (let turn = 0; turn < 30; turn++) {
      const twice = sql`insert into made_here select 1 from generate_series(1, 2)`;
      await expect(executeAlone(kernel.em, twice)).rejects.toThrow(/duplicate key/);
    }
    expect(await executeAlone(kernel.em, sql`insert into made_here values (1) returning id`)).toEqual([{ id: 1 }]);
    expect(await kernel.database.query('select id from made_here')).toEqual([{ id: 1 }]);
  });

  it('leaves no setting of its own behind on the connection', async () => {
    await executeAlone(kernel.em, sql`select 1`);
    const [setting] = await kernel.em.fork().execute<{ enable_seqscan: string }[]>('show enable_seqscan');
    expect(setting).toEqual({ enable_seqscan: 'on' });
  });
});
