import { join } from 'node:path';
import { buildAll } from './build-all.ts';
import { loadHydrology } from './built-apps.ts';
import { launch, type Start } from './launch.ts';
import { dataFolder, provideDomain } from './provide-domain.ts';

/** `npm run start:hydrology -- run`, and its other commands. */
await launch(startHydrology, buildAll);

async function startHydrology(...[launch, signal]: Parameters<Start>): ReturnType<Start> {
  const app = await loadHydrology();
  const command = app.parseCommand(process.argv.slice(2));
  const provided = await provideDomain(launch, 'hydrology', app.prepareDatabase);
  signal.throwIfAborted();
  const settings = { ...provided, artifactFolder: join(dataFolder, 'artifacts') };
  if (command.name !== 'serve') {
    return { text: JSON.stringify(await app.executeCommand(settings, command), null, 2), isDone: true };
  }
  const server = await app.startHydrology(settings);
  launch.started.push({ name: 'hydrology', stop: () => server.close() });
  return { text: `\nThe catalogue is at ${server.url}/catalogue\n\nCtrl-C stops it; the data stays.\n` };
}
