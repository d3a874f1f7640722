import type { ServerResponse } from 'node:http';
import { currentTraceId, faultOf } from '@kernel/eventbus';
import type { Params } from 'nestjs-pino';
import type { Options } from 'pino-http';
import type { AppSettings } from './app-settings.js';

/**
 * JSON lines, each with the trace id of its request or delivery. No bodies, no headers. The redacted fields are masked
 * at the top level of a line and one level below.
 */
export function loggerOptions(
  { logLevel, logStream }: Pick<AppSettings, 'logLevel' | 'logStream'>,
  redacted: readonly string[],
  { serializers, ...more }: Options = {},
): Params {
  const options: Options = {
    level: logLevel,
    mixin: (facts) => ({ traceId: answeredTraceId(facts) ?? currentTraceId() }),
    redact: { paths: redacted.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    serializers: {
      req: ({ method, url }: { method: string; url: string }) => ({ method, path: url.split('?')[0] }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
      err: faultOf,
      ...serializers,
    },
    wrapSerializers: false,
    quietReqLogger: true,
    ...more,
  };
  return { pinoHttp: logStream ? [options, logStream] : options };
}

/** The line of a request is written after its response is sent, outside of any trace. */
function answeredTraceId(facts: { res?: unknown }): string | undefined {
  return (facts.res as ServerResponse | undefined)?.getHeader?.('x-trace-id')?.toString();
}
