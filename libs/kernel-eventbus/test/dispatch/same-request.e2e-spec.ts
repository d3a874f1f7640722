import { PostgresSecretVault } from '@kernel/secrets';
import type { KernelAppOptions } from '@kernel/test-support/kernel-app';
import { Webhook } from 'standardwebhooks';
import type { EndpointInvokerMiddleware } from '../../src/dispatch/endpoint-invoker-middleware.js';
import { closeBenches, startBench } from './dispatch-bench.js';

const TOKEN = 'Bearer partner-token';
const HEADERS = { 'x-region': 'EU', authorization: { secretAlias: 'partner.token' } };
/** A UUID, or the span in a `traceparent`. */
const ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{16}\b/g;

const passing: EndpointInvokerMiddleware = { name: 'passing', invoke: (_invocation, next) => next() };

describe('the request of an attempt', () => {
  afterEach(closeBenches);

  /** Headers of a delivery to an endpoint with its own headers, and the ledger's excerpt of the response. */
  const deliver = async (options: KernelAppOptions) => {
    const bench = await startBench(options);
    const { kernel, receiver, tenantId } = bench;
    await kernel.app.get(PostgresSecretVault).put({ tenantId, alias: 'partner.token', value: TOKEN });
    const { endpointId, secret } = await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'] });
    await kernel.database.query('update kernel_webhook_endpoint set headers = $1 where endpoint_id = $2', [
      JSON.stringify(HEADERS),
      endpointId,
    ]);
    receiver.otherwise({ statusCode: 200, body: `you sent ${TOKEN}` });
    await bench.publish({ n: 1 });
    const [webhook] = await receiver.receives(1);
    const headers = webhook!.headers as Record<string, string>;
    new Webhook(secret).verify(webhook!.raw, headers);
    await bench.settled(1);
    const [attempt] = await bench.rows<{ response_excerpt: string }>(
      `select response_excerpt from kernel_ledger_entry where kind = 'attempt'`,
    );
    return { headers, excerpt: attempt!.response_excerpt };
  };

  it('is the same with and without middleware of the host', async () => {
    const [without, behind] = [await deliver({}), await deliver({ invokerMiddleware: [passing] })];
    expect(without.headers).toMatchObject({
      'x-region': 'EU',
      authorization: TOKEN,
      'content-type': 'application/json',
    });
    expect(comparable(behind.headers)).toEqual(comparable(without.headers));
    expect([without.excerpt, behind.excerpt]).toEqual(['you sent [secret]', 'you sent [secret]']);
  });
});

/** Without the headers that differ between any two requests, and without ids. */
function comparable({ host, 'webhook-timestamp': timestamp, 'webhook-signature': signature, ...rest }: Headers) {
  expect([host, timestamp, signature]).not.toContain(undefined);
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, value.replace(ID, 'id')]));
}

type Headers = Record<string, string>;
