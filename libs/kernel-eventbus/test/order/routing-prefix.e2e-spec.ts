import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { Router } from '../../src/routing/router.js';
import { NO_ROOM } from '../routing/no-room.js';

const tenantId = randomUUID();

describe('routing keeps the prefix of each stream', () => {
  let kernel: KernelApp;
  let other: pg.Client;
  beforeEach(async () => {
    kernel = await startKernelApp({ role: 'api' });
    other = new pg.Client({ connectionString: kernel.database.url });
    await other.connect();
    await kernel.addEndpoint({ tenantId, url: 'http://127.0.0.1:9/hook', types: ['a.v1'], ordering: 'stream' });
    for (let n = 1; n <= 5; n++) {
      await kernel.em
        .fork()
        .transactional((em) =>
          kernel.outbox.publish({ type: 'a.v1', tenantId, streamKey: 's', traceId: 'trace-0001' }, { em }),
        );
    }
  });
  afterEach(async () => {
    await other.end();
    await kernel.close();
  });

  const route = () => kernel.app.get(Router).routeBatch(NO_ROOM);
  const routed = async () =>
    (
      await kernel.database.query<{ n: number; before: number | null }>(
        'select stream_sequence::int as n, previous_sequence::int as before from kernel_webhook_delivery order by 1',
      )
    ).map(({ n, before }) => [n, before]);

  it('[KER-2.3] waits with what comes after an event that another router holds and has not committed', async () => {
    await other.query('begin');
    await other.query('select from kernel_outbox_event where stream_sequence = 3 for update');
    expect(await route()).toMatchObject({ routed: 2 });
    expect(await routed()).toEqual([
      [1, null],
      [2, 1],
    ]);
    expect(await route()).toMatchObject({ routed: 0 });

    await other.query('rollback');
    expect(await route()).toMatchObject({ routed: 3 });
    expect(await routed()).toEqual([
      [1, null],
      [2, 1],
      [3, 2],
      [4, 3],
      [5, 4],
    ]);
  });

  it('holds back nothing of a stream that no ordered endpoint wants', async () => {
    await kernel.database.query(`update kernel_webhook_endpoint set ordering = 'none'`);
    await other.query('begin');
    await other.query('select from kernel_outbox_event where stream_sequence = 3 for update');
    expect(await route()).toMatchObject({ routed: 4 });
    await other.query('rollback');
  });
});
