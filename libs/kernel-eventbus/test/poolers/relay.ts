import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A stable address whose target changes, like a DNS name or virtual IP in a failover. */
export class Relay {
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private target: number,
  ) {
    server.on('connection', (client) => this.forward(client));
  }

  static async start(target: number): Promise<Relay> {
    const server = createServer();
    const relay = new Relay(server, target);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  through(url: string): string {
    return Object.assign(new URL(url), { port: String((this.server.address() as AddressInfo).port) }).href;
  }

  /** Cuts every connection; new ones lead to the other port. */
  moveTo(target: number): void {
    this.target = target;
    this.#sockets.forEach((socket) => socket.destroy());
  }

  async stop(): Promise<void> {
    this.moveTo(this.target);
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(client: Socket): void {
    const database = connect(this.target, '127.0.0.1');
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
