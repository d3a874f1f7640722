import { randomUUID } from 'node:crypto';
import type { BroadcastMiddleware } from '../../src/dispatch/broadcast-middleware.js';
import pg from 'pg';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { Router } from '../../src/routing/router.js';
import { NO_ROOM } from './no-room.js';

const tenantId = randomUUID();

describe('broadcast middleware of a stream that an ordered endpoint wants', () => {
  let kernel: KernelApp;
  const ran: string[] = [];
  let failing: string | undefined;
  let meanwhile: () => Promise<void> = () => Promise.resolve();
  const noting: BroadcastMiddleware = {
    name: 'noting',
    broadcast: async ({ streamKey, payload }, next) => {
      const event = `${streamKey}${String(payload.n)}`;
      ran.push(event);
      await meanwhile();
      if (event === failing) {
        throw new Error('not now');
      }
      const { deliveries } = await next();
      ran.push(`${event} -> ${deliveries}`);
    },
  };
  beforeEach(async () => {
    ran.length = 0;
    failing = undefined;
    meanwhile = () => Promise.resolve();
    kernel = await startKernelApp({ role: 'api', broadcastMiddleware: [noting] });
    await kernel.addEndpoint({ tenantId, url: 'http://127.0.0.1:9/hook', types: ['a.v1'], ordering: 'stream' });
    for (const [streamKey, n] of [
      ['s', 1],
      ['s', 2],
      ['s', 3],
      ['o', 1],
    ] as const) {
      await kernel.outbox.publishDetached({
        type: 'a.v1',
        tenantId,
        streamKey,
        traceId: 'trace-0001',
        payload: { n },
      });
    }
  });
  afterEach(() => kernel.close());

  const route = (app = kernel) => app.app.get(Router).routeBatch(NO_ROOM);
  const begun = () => ran.filter((line) => !line.includes('->'));

  it('[FR-020] waits for what another router has of the stream, and then runs once', async () => {
    const other = new pg.Client({ connectionString: kernel.database.url });
    await other.connect();
    await other.query(
      `select pg_advisory_lock(310121, hashtext(event_id::text)) from kernel_outbox_event
       where stream_key = 's' and stream_sequence = 1`,
    );
    expect(await route()).toMatchObject({ routed: 1 });
    expect(await route()).toMatchObject({ routed: 0 });
    expect(ran).toEqual(['o1', 'o1 -> 1']);

    await other.end();
    expect(await route()).toMatchObject({ routed: 3 });
    expect(ran.slice(2)).toEqual(['s1', 's2', 's3', 's1 -> 1', 's2 -> 1', 's3 -> 1']);
  });

  it('[FR-020] has its events locked by a transaction, as a pooler demands, that holds neither snapshot nor table', async () => {
    let holders: unknown[] = [];
    meanwhile = async () => {
      holders = await kernel.database.query(
        `select distinct xact_start is not null as "isTransaction", backend_xmin as snapshot,
           (select count(*)::int from pg_locks where pid = l.pid and locktype = 'relation') as tables
         from pg_locks l join pg_stat_activity a on a.pid = l.pid
         where l.locktype = 'advisory' and l.classid = 310121 and a.datname = current_database()`,
      );
    };
    expect(await route()).toMatchObject({ routed: 4 });
    expect(holders).toEqual([{ isTransaction: true, snapshot: null, tables: 0 }]);
    const left = await kernel.database.query(
      `select from pg_locks where locktype = 'advisory' and classid = 310121
         and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(left).toEqual([]);
  });

  it('[FR-020] does not run for what comes after an event that failed, until that one has passed', async () => {
    failing = 's2';
    expect(await route()).toMatchObject({ routed: 2 });
    expect(await route()).toMatchObject({ routed: 0 });
    expect(begun().toSorted()).toEqual(['o1', 's1', 's2']);

    failing = undefined;
    const later = await startKernelApp({
      role: 'api',
      broadcastMiddleware: [noting],
      database: kernel.database,
    });
    expect(await route(later)).toMatchObject({ routed: 2 });
    expect(begun().slice(3)).toEqual(['s2', 's3']);
    await later.close();
  });
});
