import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { executeCommand, parseCommand, prepareDatabase, startHydrology, type HydrologySettings } from '../src/main.js';
import { GAUGES, readEverything, testSettings } from './start-test-hydrology.js';

describe('the commands of hydrology', () => {
  let database: TestDatabase;
  let settings: HydrologySettings;
  beforeAll(async () => {
    database = await createTestDatabase();
    await prepareDatabase(database.url);
    ({ settings } = await testSettings(database));
  });
  afterAll(async () => {
    await database.drop();
    await rm(settings.artifactFolder, { recursive: true, force: true });
  });

  const execute = (...args: string[]) => executeCommand(settings, parseCommand(args) as never);

  it('[KFM-13] run the pipeline through to the catalogue, again without effect, and serve what there is', async () => {
    const first = await execute('run');
    expect(first).toMatchObject({ isRepeat: false, isInCatalogue: true, version: 'v1.0.0' });
    const before = await readEverything(database);
    expect(await execute('run')).toMatchObject({ isRepeat: true, isInCatalogue: true });
    expect(await readEverything(database)).toEqual(before);

    const catalogue = await execute('catalogue');
    expect(catalogue).toMatchObject({ type: 'FeatureCollection', features: [{ id: 'hydrology_flow_ks_v1.0.0' }] });
    expect(await execute('records')).toMatchObject([{ status: 'dispatched', version: 'v1.0.0' }]);

    const server = await startHydrology(settings);
    expect(await (await fetch(`${server.url}/catalogue`)).json()).toEqual(catalogue);
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
    const nowhere = await fetch(`${server.url}/nowhere`);
    expect(nowhere.headers.get('content-type')).toContain('application/problem+json');
    expect(await nowhere.json()).toMatchObject({ type: 'urn:kernel:problem:not-found', status: 404 });
    await server.close();
  });

  it('refuse an input that does not fit, by line, and change nothing', async () => {
    const before = await readEverything(database);
    const file = join(settings.artifactFolder, 'bad.csv');
    await writeFile(file, GAUGES.replace('39.0667', 'north'));
    await expect(execute('run', '--input', file, '--dataset-version', 'v2.0.0')).rejects.toThrow(
      'line 2: latitude must be a number from -90 to 90',
    );
    await expect(execute('run', '--input', join(file, 'missing'))).rejects.toThrow('cannot be read (ENOTDIR)');
    expect(await readEverything(database)).toEqual(before);
  });
});
