import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../harness/monotonic-clock.ts';
import { serveCalls } from '../harness/serve-calls.ts';
import { toKey, verifySignature } from './verify-signature.ts';

export interface SinkSetup {
  secret: string;
  /** Delay of every response. */
  delayMs?: number;
}

export interface Receipts {
  distinct: number;
  /** Requests with a valid signature and an id that arrived before. */
  repeated: number;
  /** Requests without a valid signature. */
  refused: number;
  /** Requests whose sequence is not above the last one of their stream, repeats aside. */
  outOfOrder: number;
  bodyBytes: number;
}

const none: Receipts = { distinct: 0, repeated: 0, refused: 0, outOfOrder: 0, bodyBytes: 0 };

let key = toKey('');
let delayMs = 0;
let receipts = { ...none };
const receivedAt = new Map<string, number>();
const times: number[] = [];
const sequences = new Map<string, number>();

/** The receiver of every contestant: verifies, counts distinct ids, answers 204. `/hang` never answers. */
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  if (request.url === '/hang') {
    request.resume();
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => receive(request, response, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
});

function receive(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const id = verifySignature(key, request.headers, body);
  if (id === undefined) {
    receipts.refused++;
    response.writeHead(401).end();
    return;
  }
  if (receivedAt.has(id)) {
    receipts.repeated++;
  } else {
    const now = monotonicMs();
    receivedAt.set(id, now);
    times.push(now);
    receipts.distinct++;
    receipts.bodyBytes = body.length;
    noteSequence(request);
  }
  if (delayMs > 0) {
    setTimeout(() => response.writeHead(204).end(), delayMs);
  } else {
    response.writeHead(204).end();
  }
}

function noteSequence({ headers }: IncomingMessage): void {
  const stream = headers['x-kernel-stream-key'];
  const sequence = Number(headers['x-kernel-stream-sequence']);
  if (typeof stream === 'string' && sequence > 0) {
    receipts.outOfOrder += sequence > (sequences.get(stream) ?? 0) ? 0 : 1;
    sequences.set(stream, sequence);
  }
}

interface Arrivals {
  count: number;
  timeoutMs: number;
}

async function arrived({ count, timeoutMs }: Arrivals): Promise<void> {
  const deadline = monotonicMs() + timeoutMs;
  while (times.length < count) {
    if (monotonicMs() > deadline) {
      throw new Error(
        `${times.length} of ${count} events arrived within ${timeoutMs} ms (${JSON.stringify(receipts)})`,
      );
    }
    await delay(5);
  }
}

export const sink = {
  listen: async (): Promise<string> => {
    await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  /** Clears everything received so far. */
  reset: (setup: SinkSetup): void => {
    key = toKey(setup.secret);
    delayMs = setup.delayMs ?? 0;
    receipts = { ...none };
    receivedAt.clear();
    times.length = 0;
    sequences.clear();
  },
  /** Waits for that many distinct verified ids. */
  arrived,
  /** Waits for `count` ids after the first `after`, and returns the time that they took. */
  drained: async ({ after, count, timeoutMs }: Arrivals & { after: number }): Promise<number> => {
    await arrived({ count: after + count, timeoutMs });
    return times[after + count - 1]! - times[after - 1]!;
  },
  receipts: (): Receipts => receipts,
  /** Times of receipt by webhook id, on the monotonic clock. */
  receivedAt: (): [string, number][] => [...receivedAt],
};

serveCalls(sink);
