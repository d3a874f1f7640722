import type { ServerResponse } from 'node:http';
import { currentTraceId, faultOf } from '@kernel/eventbus';
import type { Params } from 'nestjs-pino';
import type { TenantsSettings } from '../settings/tenants-settings.js';

/** JSON lines, each with the trace id of the request or delivery it belongs to. No bodies, no headers. */
export function loggerOptions({ logLevel, logStream }: TenantsSettings): Params {
  const options = {
    level: logLevel,
    mixin: (facts: object) => ({ traceId: answeredTraceId(facts) ?? currentTraceId() }),
    redact: { paths: ['payload', '*.payload'], censor: '[redacted]' },
    serializers: {
      req: ({ method, url }: { method: string; url: string }) => ({ method, path: url.split('?')[0] }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
      err: faultOf,
    },
    wrapSerializers: false,
    quietReqLogger: true,
  };
  return { pinoHttp: logStream ? [options, logStream] : options };
}

/** The line of a whole request is written when its response is out, where no trace runs any more. */
function answeredTraceId(facts: { res?: unknown }): string | undefined {
  return (facts.res as ServerResponse | undefined)?.getHeader?.('x-trace-id')?.toString();
}
