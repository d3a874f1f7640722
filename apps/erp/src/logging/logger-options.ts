import type { IncomingMessage, ServerResponse } from 'node:http';
import { currentTraceId, faultOf } from '@kernel/eventbus';
import type { Params } from 'nestjs-pino';
import type { ErpSettings } from '../settings/erp-settings.js';

const REDACTED = [
  'authorization',
  'cookie',
  'secret',
  'password',
  'token',
  'adminToken',
  'masterKey',
  'previousMasterKey',
  'payload',
];

/** JSON lines, one per request, each with the trace id of the request or delivery it belongs to. No bodies, no headers. */
export function loggerOptions({ logLevel, logStream }: ErpSettings): Params {
  const options = {
    level: logLevel,
    mixin: (facts: object) => ({ traceId: answeredTraceId(facts) ?? currentTraceId() }),
    redact: { paths: REDACTED.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    serializers: {
      req: ({ method, url }: { method: string; url: string }) => ({ method, path: url.split('?')[0] }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
      err: faultOf,
      error: faultOf,
    },
    wrapSerializers: false,
    // A request is known by its trace id; pino's running number would be a second name for it.
    genReqId: () => undefined as never,
    quietReqLogger: true,
    customLogLevel: (_request: IncomingMessage, response: ServerResponse) =>
      response.statusCode >= 500 ? ('error' as const) : ('info' as const),
    customErrorMessage: () => 'request failed',
    customErrorObject: (_request: IncomingMessage, _response: ServerResponse, _error: Error, facts: object) =>
      withoutError(facts),
  };
  return { pinoHttp: logStream ? [options, logStream] : options };
}

/** The line of a whole request is written when its response is out, where no trace runs any more. */
function answeredTraceId(facts: { res?: unknown }): string | undefined {
  return (facts.res as ServerResponse | undefined)?.getHeader?.('x-trace-id')?.toString();
}

/** The cause has been logged where it was caught; pino-http would make up an error of its own here. */
function withoutError({ err: _, ...facts }: { err?: unknown } & object): object {
  return facts;
}
