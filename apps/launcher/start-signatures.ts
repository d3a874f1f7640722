import { buildAll } from './build-all.ts';
import { loadSignatures } from './built-apps.ts';
import { launch, type Start } from './launch.ts';
import { provideDomain } from './provide-domain.ts';

/** `npm run start:signatures` */
await launch(startSignatures, buildAll);

async function startSignatures(...[launch, signal]: Parameters<Start>): ReturnType<Start> {
  const app = await loadSignatures();
  const settings = await provideDomain(launch, 'signatures', app.prepareDatabase);
  signal.throwIfAborted();
  const server = await app.startSignatures(settings);
  launch.started.push({ name: 'signatures', stop: () => server.close() });
  return { text: welcome(server.url) };
}

function welcome(url: string): string {
  const request = {
    tenantId: '00000000-0000-4000-8000-000000000310',
    customerId: 'customer-4711',
    transaction: { reference: 'TX-1', amountCents: 125_000, currency: 'EUR' },
    channel: 'SMS',
  };
  const lines = [
    `Signatures are ready at ${url}`,
    `  API docs       ${url}/docs`,
    '',
    'Start a signature, then send its challenge, read the code at /demo/codes/<id> and complete it:',
    '',
    `  curl -s ${url}/signature-requests -H 'content-type: application/json' -d '${JSON.stringify(request)}'`,
  ];
  return `\n${lines.join('\n')}\n\nCtrl-C stops it; the data stays.\n`;
}
