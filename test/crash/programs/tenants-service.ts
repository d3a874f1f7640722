import { once } from 'node:events';
import { startTenants, type TenantsSettings } from '../../../apps/tenants/src/main.ts';
import { obey } from './obey.ts';

obey<TenantsSettings>(async (settings, untilTold, begun) => {
  const app = await startTenants(settings);
  begun();
  if (!untilTold.aborted) {
    await once(untilTold, 'abort');
  }
  await app.close();
});
