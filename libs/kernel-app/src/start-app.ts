import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplication, NestApplicationOptions } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';

export interface RunningApp {
  /** On the loopback address, with the chosen port. */
  url: string;
  /** Stops accepting work, finishes requests in flight and closes the database. */
  close(): Promise<void>;
}

/** Suppresses the framework's startup messages; the app logs through pino. */
export const QUIET_START = { abortOnError: false, logger: ['error', 'fatal'] } satisfies NestApplicationOptions;

/** Prepares the app, then listens. Closes the app if either fails. */
export async function startApp(
  app: NestExpressApplication,
  port: number,
  prepare: () => Promise<void>,
): Promise<RunningApp> {
  try {
    app.disable('x-powered-by');
    await prepare();
    return await listen(app, port);
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Nest's own `listen` would log a failure that the caller reports too. */
async function listen(app: INestApplication, port: number): Promise<RunningApp> {
  const server = app.getHttpServer() as Server;
  server.listen(port);
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      // Otherwise a client that is never idle would keep its connection, and so the server, open forever.
      server.prependListener('request', (_request, response: ServerResponse) =>
        response.setHeader('connection', 'close'),
      );
      return app.close();
    },
  };
}
