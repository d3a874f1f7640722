import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Options } from '@mikro-orm/postgresql';
import type { TestDatabase } from './test-database.js';

interface Link {
  client: Socket;
  server: Socket;
}

/** The network between the programs and PostgreSQL: a TCP proxy that can fail as networks and databases do. */
export class DatabaseProxy {
  readonly #links = new Set<Link>();
  readonly #silent = new Set<Link>();
  readonly #mute = new Set<Socket>();
  readonly #server: Server;
  #targetPort: number;
  #isAway = false;
  #isMute = false;

  private constructor(databaseUrl: string) {
    this.#targetPort = Number(new URL(databaseUrl).port);
    this.#server = createServer((client) => this.link(client));
  }

  static async start(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(databaseUrl);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The URL of the same database through the proxy. */
  urlOf(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** The test's database for an app that reaches it through the proxy. */
  behind(database: TestDatabase, options: Options = {}): TestDatabase {
    return { ...database, ormOptions: { ...database.ormOptions, clientUrl: this.urlOf(database.appUrl), ...options } };
  }

  /** Cuts every connection and accepts none. */
  goAway(): void {
    this.#isAway = true;
    this.cut();
  }

  comeBack(): void {
    this.#isAway = false;
  }

  /** Open connections carry no more data and are not reset; new ones work. */
  silenceOpenConnections(): number {
    for (const link of this.#links) {
      const { client, server } = link;
      client.unpipe();
      server.unpipe();
      client.pause();
      server.pause();
      this.#silent.add(link);
    }
    return this.#links.size;
  }

  /**
   * From now on new connections are accepted and get no answer, not even to their first message; or, with false, get
   * one again.
   */
  muteNewConnections(isMute: boolean): void {
    this.#isMute = isMute;
  }

  get muteCount(): number {
    return this.#mute.size;
  }

  /** Resets the silent connections, as keepalives eventually do. */
  cutSilent(): void {
    this.#silent.forEach(cutLink);
  }

  /** New connections lead to another server. */
  switchTo(databaseUrl: string): void {
    this.#targetPort = Number(new URL(databaseUrl).port);
  }

  cut(): void {
    this.#links.forEach(cutLink);
  }

  async close(): Promise<void> {
    this.cut();
    this.#mute.forEach((client) => client.destroy());
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  private link(client: Socket): void {
    if (this.#isAway) {
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    if (this.#isMute) {
      client.on('error', () => undefined);
      this.#mute.add(client);
      return;
    }
    const server = connect(this.#targetPort, '127.0.0.1');
    const link = { client, server };
    this.#links.add(link);
    const end = () => {
      this.#links.delete(link);
      this.#silent.delete(link);
      client.destroy();
      server.destroy();
    };
    [client, server].forEach((socket) => socket.setNoDelay(true).on('error', end).on('close', end));
    client.pipe(server);
    server.pipe(client);
  }
}

function cutLink({ client, server }: Link): void {
  client.resetAndDestroy();
  server.destroy();
}
