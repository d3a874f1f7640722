import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplication, NestApplicationOptions } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { LOOPBACK, type ListeningPlace, originOf } from './listening-place.js';

export interface RunningApp {
  /** With the address and the port that it listens on. */
  url: string;
  /** Stops accepting work, finishes requests in flight and closes the database. */
  close(): Promise<void>;
}

/** Suppresses the framework's startup messages; the app logs through pino. */
export const QUIET_START = { abortOnError: false, logger: ['error', 'fatal'] } satisfies NestApplicationOptions;

/** Prepares the app, then listens. Closes the app if either fails. */
export async function startApp(
  app: NestExpressApplication,
  place: ListeningPlace,
  prepare: () => Promise<void>,
): Promise<RunningApp> {
  try {
    app.disable('x-powered-by');
    await prepare();
    return await listen(app, place);
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Nest's own `listen` would log a failure that the caller reports too. */
async function listen(app: INestApplication, { host = LOOPBACK, port }: ListeningPlace): Promise<RunningApp> {
  const server = app.getHttpServer() as Server;
  server.listen(port, host);
  await once(server, 'listening');
  return {
    url: originOf(host, (server.address() as AddressInfo).port),
    close: () => {
      // Otherwise a client that is never idle would keep its connection, and so the server, open forever.
      server.prependListener('request', (_request, response: ServerResponse) =>
        response.setHeader('connection', 'close'),
      );
      return app.close();
    },
  };
}
