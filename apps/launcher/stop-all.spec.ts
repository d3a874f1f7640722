import { stopAll, type Stoppable } from './stop-all.ts';

function setup(stops: Record<string, () => Promise<void>>) {
  const stopped: string[] = [];
  const told: string[] = [];
  const started = Object.entries(stops).map(([name, stop]): Stoppable => ({
    name,
    stop: () => stop().then(() => void stopped.push(name)),
  }));
  return { stopped, told, run: () => stopAll(started, 50, (line) => told.push(line)) };
}

describe('stopAll', () => {
  it('stops in the reverse order of the start', async () => {
    const { stopped, told, run } = setup({ database: async () => {}, receiver: async () => {}, app: async () => {} });
    expect(await run()).toBe(true);
    expect(stopped).toEqual(['app', 'receiver', 'database']);
    expect(told).toEqual([]);
  });

  it('tells what hangs or fails, and stops the rest', async () => {
    const { stopped, told, run } = setup({
      database: async () => {},
      receiver: () => Promise.reject(new Error('stuck')),
      app: () => new Promise(() => {}),
    });
    expect(await run()).toBe(false);
    expect(stopped).toEqual(['database']);
    expect(told).toEqual(['Stopping app failed: no end after 0.05 s', 'Stopping receiver failed: stuck']);
  });
});
