import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Accepts requests and holds them until the test lets it respond. */
export class HangingReceiver {
  /** Requests so far. */
  count = 0;
  /** Requests that the caller aborted. */
  cut = 0;
  /** Paths of the requests so far. */
  readonly paths: string[] = [];
  readonly #waiting = new Set<ServerResponse>();
  readonly #server: Server = createServer((request, response) => {
    this.count++;
    this.paths.push(request.url!);
    request.resume();
    this.#waiting.add(response);
    response.on('close', () => {
      if (this.#waiting.delete(response)) {
        this.cut++;
      }
    });
  });

  static async start(): Promise<HangingReceiver> {
    const receiver = new HangingReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return this.urlOf('/hook');
  }

  urlOf(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** Responds to the oldest waiting request. */
  answer(statusCode = 204): void {
    const [response] = this.#waiting;
    this.#waiting.delete(response!);
    response!.writeHead(statusCode).end();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
