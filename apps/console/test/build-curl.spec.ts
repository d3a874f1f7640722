import { execFileSync } from 'node:child_process';
import { buildCurl } from '../src/deliveries/build-curl.ts';

const delivery = {
  deliveryId: 'd',
  tenantId: 't',
  endpointId: 'p',
  eventId: 'e',
  eventType: 'a.v1',
  traceId: 'trace',
} as Parameters<typeof buildCurl>[1];

it('survives a shell, whatever is in it', () => {
  const body = `{"note":"it's $HOME \`id\` \\\\ \\n"}`;
  const command = buildCurl({ url: "https://x.test/a?b='c'&d" }, delivery, body);
  const seen = execFileSync('sh', ['-c', command.replace(/^curl/, `printf '%s\\0'`)], { encoding: 'utf8' }).split('\0');
  expect(seen).toEqual([
    '-X',
    'POST',
    "https://x.test/a?b='c'&d",
    '-H',
    'content-type: application/json',
    '-H',
    'webhook-id: e',
    '-H',
    'x-kernel-tenant-id: t',
    '-H',
    'x-kernel-event-type: a.v1',
    '-H',
    'x-kernel-delivery-id: d',
    '-H',
    'x-trace-id: trace',
    '--data-raw',
    body,
    '',
  ]);
});
