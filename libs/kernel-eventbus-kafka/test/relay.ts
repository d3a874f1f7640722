import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A stable address in front of a target that can change or be absent. */
export class Relay {
  /** `host:port`; undefined: connections are refused. */
  target: string | undefined;
  readonly open = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => this.#pipe(socket));
  }

  static async start(): Promise<Relay> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Relay(server);
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.open.forEach((socket) => socket.destroy());
    this.server.close();
    await once(this.server, 'close');
  }

  #pipe(socket: Socket): void {
    if (!this.target) {
      socket.destroy();
      return;
    }
    const [host, port] = this.target.split(':');
    const behind = connect(Number(port), host);
    this.open.add(socket);
    socket.on('close', () => this.open.delete(socket));
    for (const [from, to] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
  }
}
