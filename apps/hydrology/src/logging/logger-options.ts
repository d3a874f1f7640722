import { currentTraceId, faultOf } from '@kernel/eventbus';
import type { Params } from 'nestjs-pino';
import { destination } from 'pino';
import type { HydrologySettings } from '../settings/hydrology-settings.js';

const STANDARD_ERROR = 2;

/** JSON lines with the trace id of the run, request or delivery they belong to. No bodies, no headers. */
export function loggerOptions({ logLevel, logStream }: HydrologySettings): Params {
  const options = {
    level: logLevel,
    mixin: () => ({ traceId: currentTraceId() }),
    redact: { paths: ['payload', '*.payload'], censor: '[redacted]' },
    serializers: {
      req: ({ method, url }: { method: string; url: string }) => ({ method, path: url.split('?')[0] }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
      err: faultOf,
    },
    wrapSerializers: false,
    quietReqLogger: true,
  };
  return { pinoHttp: [options, logStream ?? destination(STANDARD_ERROR)] };
}
