import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface OpenResponse {
  response: ServerResponse;
  /** Reads nothing by itself. */
  reader: Socket;
  /** Resolves when no connection is left. */
  close(): Promise<void>;
}

/** A started response of a separate server to a client that does not read. */
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
