import { waitFor } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { Heartbeat } from '../../src/worker/liveness/heartbeat.js';
import { Pulse } from '../../src/worker/liveness/pulse.js';

const INTERVAL_MS = 50;

describe('a heartbeat', () => {
  let kernel: KernelApp;
  beforeEach(async () => {
    kernel = await startKernelApp({ role: 'api', heartbeat: { intervalMs: INTERVAL_MS, silentMs: 10_000 } });
  });
  afterEach(async () => {
    await kernel.app.get(Heartbeat).stop();
    await kernel.close();
  });

  const lastBeat = async () => {
    const [row] = await kernel.database.query<{ at: Date; age: number }>(
      `select heartbeat_at as at, extract(epoch from clock_timestamp() - heartbeat_at)::float8 * 1000 as age from kernel_worker`,
    );
    return row;
  };

  it('means progress: none is sent while the work is stuck, and they go on with it', async () => {
    let isStuck = false;
    await kernel.app.get(Heartbeat).start(() => isStuck);
    const first = await lastBeat();
    await waitFor(async () => (await lastBeat())!.at > first!.at, 'another heartbeat');
    isStuck = true;
    await waitFor(async () => (await lastBeat())!.age > 20 * INTERVAL_MS, 'heartbeats to stay away');
    const last = await lastBeat();
    isStuck = false;
    await waitFor(async () => (await lastBeat())!.at > last!.at, 'heartbeats to go on');
  });

  it('finds out that others took the worker for dead', async () => {
    const pulse = kernel.app.get(Pulse);
    let losses = 0;
    pulse.onLost(() => losses++);
    await kernel.app.get(Heartbeat).start(() => false);
    expect(pulse.isFresh).toBe(true);
    expect(losses).toBe(0);
    await kernel.database.query('delete from kernel_worker');
    await waitFor(() => losses === 1, 'the next heartbeat to find no row');
    await waitFor(lastBeat, 'the worker to be there again');
  });
});
