import { once } from 'node:events';
import { startProjection, type ProjectionSettings } from '../../../apps/tenants/src/main.ts';
import { obey } from './obey.ts';

obey<ProjectionSettings>(async (settings, untilTold, begun) => {
  const app = await startProjection(settings);
  begun();
  if (!untilTold.aborted) {
    await once(untilTold, 'abort');
  }
  await app.close();
});
