import { vetHeader } from './vet-header.js';

const alias = { secretAlias: 'partner' };

describe('vetHeader', () => {
  it.each([
    ['x-tenant', 'acme'],
    ['X-Region', 'EU west 1'],
    ['x-author', 'erp'],
    ['idempotency-key', 'a-1'],
    ['accept', 'application/json'],
    ['authorization', alias],
    ['Cookie', alias],
    ['x-api-key', alias],
    ['proxy-authorization', alias],
  ])('lets %s through with %j', (name, value) => {
    expect(vetHeader(name, value)).toBeUndefined();
  });

  it.each([
    ...['webhook-id', 'webhook-signature', 'Webhook-Timestamp', 'webhook-anything', 'x-kernel-attempt', 'X-Kernel-New'],
    ...[
      'host',
      'Host',
      'content-length',
      'content-type',
      'transfer-encoding',
      'connection',
      'te',
      'trailer',
      'upgrade',
    ],
    ...['expect', 'keep-alive', 'proxy-connection', 'http2-settings', 'accept-encoding', 'content-encoding'],
    ...['traceparent', 'x-trace-id', 'user-agent', 'sec-fetch-mode'],
  ])('refuses the reserved name %s, for a credential too', (name) => {
    expect(vetHeader(name, 'a')).toContain('set by the kernel or by the connection');
    expect(vetHeader(name, alias)).toContain('set by the kernel or by the connection');
  });

  it.each(['', 'x a', 'x:a', 'x\r\na', 'x\0', 'ü', '__proto__', '-x', ':authority', 'x/y', 'a'.repeat(129)])(
    'refuses %j as a name',
    (name) => {
      expect(vetHeader(name, 'a')).toContain('a header name has 1 to 128');
      expect(vetHeader(name, alias)).toContain('a header name has 1 to 128');
    },
  );

  it.each([
    ...[
      'authorization',
      'Authorization',
      'proxy-authorization',
      'cookie',
      'set-cookie',
      'x-api-key',
      'api-key',
      'apikey',
    ],
    ...['x-auth-token', 'x-access-token', 'x-csrf-token', 'x-secret', 'client_secret', 'x-password', 'x-session-id'],
    ...['x-functions-key', 'ocp-apim-subscription-key', 'x-amz-security-token', 'x-jwt', 'x-auth', 'x-hub-signature'],
  ])('refuses a plain value for %s, which is a credential', (name) => {
    expect(vetHeader(name, 'sentinel-1')).toContain('looks like a credential');
    expect(vetHeader(name, 'sentinel-1')).not.toContain('sentinel-1');
    expect(vetHeader(name, alias)).toBeUndefined();
  });

  it.each([
    ['Bearer sentinel-1', 'looks like a credential'],
    ['basic sentinel-1', 'looks like a credential'],
    ['whsec_sentinel-1', 'looks like a credential'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzZW50aW5lbC0xIn0.x', 'looks like a credential'],
    ['sentinel-1\r\nhost: evil', 'CR, LF'],
    ['sentinel-1\nx', 'CR, LF'],
    ['sentinel-1\0', 'CR, LF'],
    ['sentinel-1\u2028x', 'CR, LF'],
    ['', '1 to 1024 characters'],
    [' sentinel-1', 'neither begins nor ends with a blank'],
    ['sentinel-1\n', 'neither begins nor ends with a blank'],
    ['s'.repeat(1025), '1 to 1024 characters'],
  ])('refuses the value %j and does not repeat it', (value, problem) => {
    const message = vetHeader('x-note', value);
    expect(message).toContain(problem);
    expect(message).not.toContain('sentinel-1');
  });
});
