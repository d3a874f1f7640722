import { on } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface SentRequest {
  method: string;
  url: string;
  token: string;
  body?: string;
  /** Sent without a content length. */
  isChunked?: boolean;
}

export interface Answer {
  status: number;
  bytes: number;
  /** The beginning of the body. */
  text: string;
}

const CLIENT = `
  const { request } = require('node:http');
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', ({ id, method, url, token, body, isChunked }) => {
    const headers = {
      authorization: 'Bearer ' + token,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(isChunked && { 'transfer-encoding': 'chunked' }),
    };
    const call = request(url, { method, headers, agent: false }, (response) => {
      let bytes = 0;
      const parts = [];
      response.on('data', (part) => {
        bytes += part.length;
        if (parts.length < 20) parts.push(part);
      });
      response.on('end', () => {
        const text = Buffer.concat(parts).toString().slice(0, 100_000);
        parentPort.postMessage({ id, status: response.statusCode, bytes, text });
      });
    });
    call.on('error', (error) => parentPort.postMessage({ id, status: 0, bytes: 0, text: String(error) }));
    call.end(body);
  });
`;

/** Sends requests from another thread, so writing them and reading the answers costs this one nothing. */
export class OtherThreadClient {
  readonly #worker = new Worker(CLIENT, { eval: true });
  #lastId = 0;

  async send(sent: SentRequest): Promise<Answer> {
    const id = ++this.#lastId;
    this.#worker.postMessage({ id, ...sent });
    for await (const [answer] of on(this.#worker, 'message') as AsyncIterable<[Answer & { id: number }]>) {
      if (answer.id === id) {
        return answer;
      }
    }
    throw new Error('the other thread has ended');
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
