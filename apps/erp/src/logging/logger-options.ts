import type { IncomingMessage, ServerResponse } from 'node:http';
import { loggerOptions } from '@kernel/app';
import { faultOf } from '@kernel/eventbus';
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

/** One line per request; a failed one is an error only if the server failed. */
export function erpLoggerOptions(settings: ErpSettings): Params {
  return loggerOptions(settings, REDACTED, {
    serializers: { error: faultOf },
    // The trace id identifies a request; pino's running number would be a second identifier.
    genReqId: () => undefined as never,
    customLogLevel: (_request: IncomingMessage, response: ServerResponse) =>
      response.statusCode >= 500 ? 'error' : 'info',
    customErrorMessage: () => 'request failed',
    customErrorObject: (_request: IncomingMessage, _response: ServerResponse, _error: Error, facts: object) =>
      withoutError(facts),
  });
}

/** The cause is logged where it was caught; pino-http would add a synthetic error here. */
function withoutError({ err: _, ...facts }: { err?: unknown } & object): object {
  return facts;
}
