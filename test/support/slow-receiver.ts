import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver that holds each request until the test lets it respond. */
export class SlowReceiver {
  readonly isAsked: Promise<void>;
  /** Requests so far. */
  count = 0;
  readonly #server: Server;

  private constructor(mayAnswer: Promise<void>) {
    const asked = Promise.withResolvers<void>();
    this.isAsked = asked.promise;
    this.#server = createServer((request, response) => {
      this.count++;
      asked.resolve();
      request.resume();
      void mayAnswer.then(() => response.writeHead(204).end());
    });
  }

  static async start(mayAnswer: Promise<void>): Promise<SlowReceiver> {
    const receiver = new SlowReceiver(mayAnswer);
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
