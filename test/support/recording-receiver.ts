import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One webhook that arrived in full, in order of arrival. */
export interface Receipt {
  endpoint: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** In milliseconds since 1970. */
  receivedAt: number;
}

export type Behaviour = (response: ServerResponse) => void;

const accept: Behaviour = (response) => response.writeHead(204).end();

/** The receiving companies: one server, an endpoint per path, and a record of every request, whatever the response. */
export class RecordingReceiver {
  readonly receipts: Receipt[] = [];
  readonly #server: Server;
  readonly #behaviours = new Map<string, Behaviour>();

  private constructor() {
    this.#server = createServer((request, response) => {
      const endpoint = request.url!.slice(1);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        this.receipts.push({ endpoint, headers: request.headers, body, receivedAt: Date.now() });
        (this.#behaviours.get(endpoint) ?? accept)(response);
      });
    });
  }

  static async start(): Promise<RecordingReceiver> {
    const receiver = new RecordingReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  urlOf(endpoint: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${endpoint}`;
  }

  at(endpoint: string): Receipt[] {
    return this.receipts.filter((receipt) => receipt.endpoint === endpoint);
  }

  behave(endpoint: string, behaviour: Behaviour): void {
    this.#behaviours.set(endpoint, behaviour);
  }

  /** From now on every endpoint accepts. */
  heal(): void {
    this.#behaviours.clear();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
