import { headersForBroker } from './headers-for-broker.js';

describe('the headers that a broker gets', () => {
  it('[KER-6c] are those of every webhook, and none of the endpoint or of middleware', () => {
    const ours = {
      'content-type': 'application/json',
      'webhook-id': 'id',
      'webhook-timestamp': '1',
      'webhook-signature': 'v1,x',
      'x-kernel-stream-sequence': '7',
      'x-trace-id': 'trace-0001',
      traceparent: '00-a-b-01',
      tracestate: 'a=1',
    };
    const others = { authorization: 'Bearer abc', 'x-api-key': 'abc', 'nats-rollup': 'all', 'webhook-extra': 'abc' };
    expect(headersForBroker({ ...others, ...ours })).toEqual(ours);
  });
});
