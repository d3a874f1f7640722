import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface OpenResponse {
  response: ServerResponse;
  /** Reads nothing unless told to. */
  reader: Socket;
  /** Resolves once no connection is left. */
  close(): Promise<void>;
}

/** An answer that a server of its own has begun to give to somebody who does not read. */
export async function openResponse(): Promise<OpenResponse> {
  const asked = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => asked.resolve(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
  reader.pause();
  reader.on('error', () => undefined);
  reader.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const response = await asked.promise;
  return { response, reader, close: () => new Promise((resolve) => server.close(() => resolve())) };
}
