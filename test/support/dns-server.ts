import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

const A = 1;
const AAAA = 28;
const NXDOMAIN = 3;
const HEADER_BYTES = 12;

/** Addresses by name. */
type Records = Record<string, readonly string[]>;

/**
 * A DNS server on a free loopback port. It answers for known names and returns NXDOMAIN for others. It does not answer
 * questions for a name with the label `silent`, nor IPv6 questions for one with the label `ipv4-only`.
 */
export class DnsServer {
  /** Names queried for an IPv4 address, once per query. */
  readonly asked: string[] = [];
  readonly address: string;

  private constructor(
    private readonly socket: Socket,
    private readonly records: Records,
  ) {
    this.address = `127.0.0.1:${socket.address().port}`;
    socket.on('message', (message, client) => this.answer(message, client));
  }

  static async start(records: Records = {}): Promise<DnsServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new DnsServer(socket, records);
  }

  async stop(): Promise<void> {
    this.socket.close();
    await once(this.socket, 'close');
  }

  private answer(message: Buffer, client: RemoteInfo): void {
    const { name, type, end } = readQuestion(message);
    if (type === A) {
      this.asked.push(name);
    }
    const labels = name.split('.');
    if (labels.includes('silent') || (labels.includes('ipv4-only') && type === AAAA)) {
      return;
    }
    const known = this.records[name];
    const found = known?.filter((address) => isIPv6(address) === (type === AAAA)) ?? [];
    const header = Buffer.from(message.subarray(0, HEADER_BYTES));
    header.writeUInt16BE(0x8180 | (known ? 0 : NXDOMAIN), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(found.length, 6);
    header.writeUInt32BE(0, 8);
    const answers = found.map((address) => toRecord(type, address));
    const response = Buffer.concat([header, message.subarray(HEADER_BYTES, end), ...answers]);
    this.socket.send(response, client.port, client.address);
  }
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** Named by a pointer to the question; class IN, TTL one minute. */
function toRecord(type: number, address: string): Buffer {
  const data = type === AAAA ? bytesOfIPv6(address) : Buffer.from(address.split('.').map(Number));
  const record = Buffer.alloc(HEADER_BYTES);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

function bytesOfIPv6(address: string): Buffer {
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
