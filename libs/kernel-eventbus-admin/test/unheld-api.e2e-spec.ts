import type { Server } from 'node:http';
import { UnheldApi } from './unheld-api.js';

const HOLD_MS = 250;

describe('a request that holds the event loop', () => {
  let unheld: UnheldApi;
  let requests: number;
  beforeEach(async () => {
    requests = 0;
    unheld = await UnheldApi.start();
  });
  afterEach(() => unheld.close());

  const holdWhere = (isHeld: (request: number) => boolean) =>
    (unheld.api.kernel.app.getHttpServer() as Server).prependListener('request', () => {
      if (isHeld(++requests)) {
        useCpu(HOLD_MS);
      }
    });
  const measure = () => unheld.expectUnheld({ route: 'GET /session' }, 200);

  it('is found where it does so most of the time', async () => {
    holdWhere((request) => request % 3 > 0);
    await expect(measure()).rejects.toThrow('GET /session held the loop for');
  });

  it('passes where something else holds it now and then', async () => {
    holdWhere((request) => request % 3 === 0);
    await expect(measure()).resolves.toMatchObject({ status: 200 });
  });
});

function useCpu(ms: number): void {
  const usedMs = () => process.threadCpuUsage().user / 1_000;
  const start = usedMs();
  while (usedMs() - start < ms);
}
