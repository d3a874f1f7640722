import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { MockCluster } from './mock-cluster.js';

const PRODUCE = 0;
const INIT_PRODUCER_ID = 22;
/** Size of a partition in a Produce response: index, error, base offset, append time, start offset. */
const PARTITION_BYTES = 4 + 2 + 8 + 8 + 8;

export interface Fault {
  /** Error code of the response. */
  errorCode: number;
  /** Limits the fault to requests that contain these bytes. */
  marker?: string;
}

/**
 * A proxy in front of every broker of a cluster that replaces error codes in responses, because librdkafka's mock
 * offers no way to inject them from outside. It also replaces the addresses that brokers announce.
 */
export class FaultyBrokers {
  /** By API key. */
  readonly faults = new Map<number, Fault>();
  readonly requests: number[] = [];
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #portsBefore = new Map<number, number>();

  static async start(cluster: MockCluster): Promise<FaultyBrokers> {
    const brokers = new FaultyBrokers();
    for (const broker of cluster.brokers) {
      await brokers.#standBefore(Number(broker.split(':')[1]));
    }
    return brokers;
  }

  get addresses(): string[] {
    return [...this.#portsBefore.values()].map((port) => `127.0.0.1:${port}`);
  }

  failProducing(fault: Fault): void {
    this.faults.set(PRODUCE, fault);
  }

  failIdempotence(fault: Fault): void {
    this.faults.set(INIT_PRODUCER_ID, fault);
  }

  countProduced(): number {
    return this.requests.filter((api) => api === PRODUCE).length;
  }

  async stop(): Promise<void> {
    this.#sockets.forEach((socket) => socket.destroy());
    await Promise.all(
      this.#servers.map(async (server) => {
        server.close();
        await once(server, 'close');
      }),
    );
  }

  async #standBefore(port: number): Promise<void> {
    const server = createServer((socket) => this.#pass(socket, port)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#servers.push(server);
    this.#portsBefore.set(port, (server.address() as AddressInfo).port);
  }

  #pass(socket: Socket, port: number): void {
    const behind = connect(port, '127.0.0.1');
    const failing = new Map<number, { api: number; fault: Fault }>();
    this.#sockets.add(socket).add(behind);
    onFrames(socket, (frame) => {
      const api = frame.readInt16BE(4);
      const fault = this.faults.get(api);
      this.requests.push(api);
      if (fault && (!fault.marker || frame.includes(fault.marker))) {
        failing.set(frame.readInt32BE(8), { api, fault });
      }
      behind.write(frame);
    });
    onFrames(behind, (frame) => {
      const failed = failing.get(frame.readInt32BE(4));
      if (failed) {
        putError(frame, failed.api, failed.fault.errorCode);
      }
      this.#replaceAddresses(frame);
      socket.write(frame);
    });
    socket.on('error', () => behind.destroy()).on('close', () => behind.destroy());
    behind.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  }

  #replaceAddresses(frame: Buffer): void {
    const host = '127.0.0.1';
    for (let at = frame.indexOf(host); at !== -1; at = frame.indexOf(host, at + 1)) {
      const port = this.#portsBefore.get(frame.readInt32BE(at + host.length));
      if (port) {
        frame.writeInt32BE(port, at + host.length);
      }
    }
  }
}

/** A frame is a length in four bytes, followed by that many bytes. */
function onFrames(socket: Socket, take: (frame: Buffer) => void): void {
  let kept = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]);
    while (kept.length >= 4 && kept.length >= 4 + kept.readInt32BE(0)) {
      const end = 4 + kept.readInt32BE(0);
      take(Buffer.from(kept.subarray(0, end)));
      kept = kept.subarray(end);
    }
  });
}

function putError(frame: Buffer, api: number, errorCode: number): void {
  if (api === INIT_PRODUCER_ID) {
    // Length, correlation id, a byte of tags, throttle time.
    frame.writeInt16BE(errorCode, 4 + 4 + 1 + 4);
    return;
  }
  // Length, correlation id, number of topics, then the only topic's name.
  const partitions = 12 + 2 + frame.readInt16BE(12);
  for (let place = 0; place < frame.readInt32BE(partitions); place++) {
    frame.writeInt16BE(errorCode, partitions + 4 + place * PARTITION_BYTES + 4);
  }
}
