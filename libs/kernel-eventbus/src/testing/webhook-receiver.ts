import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from './wait-for.js';

export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  /** Raw bytes, as signed. */
  raw: Buffer;
  body: Record<string, unknown>;
  /** Status that the receiver responded with. */
  statusCode: number;
}

export type Answer = number | { statusCode: number; body?: string; headers?: Record<string, string> };

/** A real HTTP server on a free loopback port that records requests and sends the configured responses. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  readonly #server: Server;
  #next: Answer[] = [];
  #otherwise: Answer = 204;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const answer = toResponse(this.#next.shift() ?? this.#otherwise);
        const raw = Buffer.concat(chunks);
        this.received.push({ headers: request.headers, raw, body: parse(raw), statusCode: answer.statusCode });
        response.writeHead(answer.statusCode, answer.headers).end(answer.body);
      });
    });
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** Responses to the next requests; `otherwise` applies after them. */
  answers(...next: Answer[]): this {
    this.#next = next;
    return this;
  }

  otherwise(answer: Answer): this {
    this.#otherwise = answer;
    return this;
  }

  /** Waits for at least `count` webhooks. */
  async receives(count: number): Promise<ReceivedWebhook[]> {
    await waitFor(() => this.received.length >= count, `${count} webhooks`);
    return this.received;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function toResponse(answer: Answer): Exclude<Answer, number> {
  return typeof answer === 'number' ? { statusCode: answer } : answer;
}

function parse(raw: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(raw.toString('utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
