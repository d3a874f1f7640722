import { setTimeout as delay } from 'node:timers/promises';
import type { AdminRequest } from '../../test/support/admin-requests.ts';

export interface AdminAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** The admin API with one token. */
export class AdminClient {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async send({ route, path, query, body }: AdminRequest): Promise<AdminAnswer> {
    const response = await fetch(`${this.#url}${path}?${new URLSearchParams(query).toString()}`, {
      method: route.split(' ')[0]!,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').includes('json') && !path.endsWith('/export');
    return { status: response.status, body: (isJson && text ? JSON.parse(text) : {}) as Record<string, unknown> };
  }

  /** Requests one after the other with a pause between, round and round, until `isOver`. Returns their number. */
  async loop(requests: readonly AdminRequest[], pauseMs: number, isOver: () => boolean): Promise<number> {
    let sent = 0;
    while (!isOver()) {
      await this.send(requests[sent++ % requests.length]!);
      await delay(pauseMs);
    }
    return sent;
  }
}
