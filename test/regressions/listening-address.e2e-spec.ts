import { startErp, type RunningApp } from '../../apps/erp/src/main.js';
import { startReceiver } from '../../apps/receiver/src/main.js';
import { SETTINGS, startTestErp } from '@kernel/test-support/start-test-erp';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';

const LOOPBACK = '127.0.0.1';
/** Linux answers on all of 127.0.0.0/8, so this stands for an interface that others reach. */
const OTHER = '127.0.0.2';

/** Undefined: nothing listens there. */
async function statusAt(app: RunningApp, host: string): Promise<number | undefined> {
  const url = Object.assign(new URL(app.url), { hostname: host, pathname: '/health/live' });
  return fetch(url).then(
    ({ status }) => status,
    () => undefined,
  );
}

describe('the address that the demo apps listen on', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const apps: Record<string, (host?: string) => Promise<RunningApp>> = {
    receiver: (host) => startReceiver({ port: 0, host, databaseUrl: database.url, secret: undefined }),
    erp: (host) => startTestErp({ host }),
    'a worker': async (host) => {
      const erp = await startTestErp();
      const worker = await startErp({ ...SETTINGS, databaseUrl: erp.database.appUrl, role: 'worker', host });
      const close = async () => {
        await worker.close();
        await erp.close();
      };
      return { url: worker.url, close };
    },
  };

  it.each(Object.keys(apps))('is the loopback address by default: %s', async (name) => {
    const app = await apps[name]!();
    expect(app.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await statusAt(app, LOOPBACK)).toBeDefined();
    expect(await statusAt(app, OTHER)).toBeUndefined();
    await app.close();
  });

  it.each(Object.keys(apps))('is the chosen one, and no other: %s', async (name) => {
    const app = await apps[name]!(OTHER);
    expect(app.url).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/);
    expect(await statusAt(app, OTHER)).toBeDefined();
    expect(await statusAt(app, LOOPBACK)).toBeUndefined();
    await app.close();
  });

  it('is all of them if asked for, which the url says', async () => {
    const app = await apps.receiver!('0.0.0.0');
    expect(app.url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
    expect(await statusAt(app, OTHER)).toBeDefined();
    await app.close();
  });
});
