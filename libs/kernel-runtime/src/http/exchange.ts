import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, type Readable } from 'node:stream';

/** A request as Nest passes it on. That of Express is Node's own, that of Fastify holds Node's as `raw`. */
interface HostRequest {
  raw?: IncomingMessage;
  originalUrl: string;
  params: unknown;
  body?: unknown;
  rawBody?: unknown;
  ip?: string;
}

/** The parts of Fastify's reply that are used here. */
interface FastifyReply {
  raw: ServerResponse;
  sent: boolean;
  statusCode: number;
  header(name: string, value: string | number): unknown;
  getHeader(name: string): number | string | string[] | undefined;
  getHeaders(): Record<string, number | string | string[] | undefined>;
  hijack(): unknown;
  send(body?: Buffer): unknown;
}

const exchanges = new WeakMap<object, Exchange>();

/** A request and its response, the same for Express and Fastify. It answers once: the first answer wins. */
export class Exchange {
  readonly incoming: IncomingMessage;
  readonly #request: HostRequest;
  readonly #response: ServerResponse;
  readonly #reply: FastifyReply | undefined;
  #isAnswered = false;

  private constructor(request: object, response: object) {
    this.#request = request as HostRequest;
    this.incoming = this.#request.raw ?? (request as IncomingMessage);
    this.#reply = 'raw' in response ? (response as FastifyReply) : undefined;
    this.#response = this.#reply?.raw ?? (response as ServerResponse);
  }

  /** Request and response as of Nest's `@Req()` and `@Res()`. */
  static of(request: object, response: object): Exchange {
    const exchange = exchanges.get(request) ?? new Exchange(request, response);
    exchanges.set(request, exchange);
    return exchange;
  }

  /** As sent by the client: routers and prefixes do not change it. */
  get url(): string {
    return this.#request.originalUrl;
  }

  /** Parameters of the route. */
  get params(): unknown {
    return this.#request.params;
  }

  /** As the host parsed it; undefined if it did not. */
  get body(): unknown {
    return this.#request.body;
  }

  /** The decoded bytes, in a host with `rawBody: true`. */
  get rawBody(): Buffer | undefined {
    return Buffer.isBuffer(this.#request.rawBody) ? this.#request.rawBody : undefined;
  }

  /** Address of the client, as far as the host trusts its proxies. */
  get address(): string | undefined {
    return this.#request.ip;
  }

  get isAnswered(): boolean {
    return this.#isAnswered || this.#response.headersSent || this.#reply?.sent === true;
  }

  set status(status: number) {
    (this.#reply ?? this.#response).statusCode = status;
  }

  /** Headers of Fastify's reply win over those that middleware set on Node's response. */
  getHeader(name: string): string | undefined {
    return (this.#reply?.getHeader(name) ?? this.#response.getHeader(name))?.toString();
  }

  setHeader(name: string, value: string | number): void {
    if (this.#reply) {
      this.#reply.header(name, value);
    } else {
      this.#response.setHeader(name, value);
    }
  }

  sendJson(value: unknown): void {
    if (value === undefined || value === null) {
      this.send();
    } else {
      this.send(JSON.stringify(value), 'application/json; charset=utf-8');
    }
  }

  send(text?: string, contentType?: string): void {
    if (this.isAnswered) {
      return;
    }
    this.#isAnswered = true;
    if (contentType) {
      this.setHeader('content-type', contentType);
    }
    const bytes = text === undefined ? undefined : Buffer.from(text);
    if (this.#reply) {
      this.#reply.send(bytes);
      return;
    }
    // Later, because interceptors of the host may set headers after the handler, which throws once they are sent.
    setImmediate(() => {
      if (!this.#response.headersSent) {
        this.#response.setHeader('content-length', bytes?.length ?? 0);
        this.#response.end(bytes);
      }
    });
  }

  sendStream(stream: Readable): void {
    // A stream that fails cuts the response off, so that the client does not take it for whole.
    pipeline(stream, this.takeRaw(), () => undefined);
  }

  /** Node's response, with the headers set so far, for an answer in many parts. Nothing else answers afterwards. */
  takeRaw(): ServerResponse {
    this.#isAnswered = true;
    if (this.#reply) {
      this.#reply.hijack();
      for (const [name, value] of Object.entries(this.#reply.getHeaders())) {
        this.#response.setHeader(name, value ?? '');
      }
      this.#response.statusCode = this.#reply.statusCode;
    }
    return this.#response;
  }

  /** Ends an answer of the host that failed halfway. Those of the kernel go on if an interceptor fails after them. */
  cutOff(): void {
    if (!this.#isAnswered && this.#response.headersSent && !this.#response.writableEnded) {
      this.#response.end();
    }
  }
}
