import { join } from 'node:path';
import { buildAll } from './build-all.ts';
import { loadTenants } from './built-apps.ts';
import { ProjectionKeeper } from './projection-keeper.ts';
import { keepSecret } from './keep-secret.ts';
import { launch, type Start } from './launch.ts';
import { dataFolder, provideDomainAndReceiver } from './provide-domain.ts';
import { provideNats } from './provide-nats.ts';

/** `npm run start:tenants`: the tenant service, a broker, and the projection in a second process. */
await launch(startTenants, buildAll);

async function startTenants(...[launch, signal]: Parameters<Start>): ReturnType<Start> {
  const app = await loadTenants();
  const { settings, receiver } = await provideDomainAndReceiver(launch, 'tenants', app.prepareDatabase);
  const natsUrl = await provideNats(launch.started, join(dataFolder, 'nats'));
  const secret = await keepSecret(join(dataFolder, 'projection-secret'));

  signal.throwIfAborted();
  const service = await app.startTenants({ ...settings, natsUrl, projectionSecret: secret });
  launch.started.push({ name: 'the tenant service', stop: () => service.close() });

  signal.throwIfAborted();
  const projection = new ProjectionKeeper({ ...(await receiver()), natsUrl, secret });
  launch.started.push(projection);
  const projectionUrl = await projection.start();
  return { text: welcome(service.url, projectionUrl) };
}

function welcome(url: string, projectionUrl: string): string {
  const tenant = { name: 'Acme', plan: 'STANDARD', retentionDays: 90, residency: 'EU' };
  const lines = [
    `The tenant service is ready at ${url}`,
    `  API docs       ${url}/docs`,
    `  projection     ${projectionUrl}/governance shows what a second process knows from events alone`,
    '',
    'Make a tenant, then change its plan, and watch the projection follow:',
    '',
    `  curl -s ${url}/tenants -H 'content-type: application/json' -d '${JSON.stringify(tenant)}'`,
    `  curl -s -X PATCH ${url}/tenants/<tenantId>/governance -H 'content-type: application/json' -d '{"plan":"ENTERPRISE"}'`,
  ];
  return `\n${lines.join('\n')}\n\nCtrl-C stops it; the data stays.\n`;
}
