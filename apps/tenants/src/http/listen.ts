import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';

export interface RunningApp {
  /** On the loopback address, with the port that was picked. */
  url: string;
  /** Takes no more work, finishes what is under way, and lets go of the database. */
  close(): Promise<void>;
}

/** Nest's own `listen` would log a failure that the caller tells of too. */
export async function listen(app: INestApplication, port: number): Promise<RunningApp> {
  const server = app.getHttpServer() as Server;
  server.listen(port);
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      // A client that is never idle would otherwise keep its connection, and so the server, open for ever.
      server.prependListener('request', (_request, response: ServerResponse) =>
        response.setHeader('connection', 'close'),
      );
      return app.close();
    },
  };
}
