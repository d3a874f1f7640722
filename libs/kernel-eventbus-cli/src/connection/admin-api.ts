import { FailedError, UnreachableError } from '../cli.errors.js';
import { describeRefusal } from './describe-refusal.js';

export type Row = Record<string, unknown>;

export interface Page {
  items: Row[];
  nextCursor: string | null;
}

export type Query = Record<string, string | number | undefined>;

/** Maximum page size of the API. */
const PAGE_SIZE = 200;

/** The admin API of a running app. Throws on refusals, so commands only handle answers. */
export class AdminApi {
  readonly #base: URL;
  readonly #token: string;

  constructor(url: URL, token: string) {
    this.#base = url;
    this.#token = token;
  }

  get<Answer = Row>(path: string, query: Query = {}): Promise<Answer> {
    return this.json('GET', path, { query });
  }

  post<Answer = Row>(path: string, body?: Row): Promise<Answer> {
    return this.json('POST', path, { body });
  }

  patch<Answer = Row>(path: string, body: Row): Promise<Answer> {
    return this.json('PATCH', path, { body });
  }

  /** Fetches pages until the limit is reached; `nextCursor` is set if there are more. */
  async list(path: string, { limit, cursor, ...query }: Query & { limit: number }): Promise<Page> {
    const items: Row[] = [];
    let nextCursor = cursor === undefined ? null : String(cursor);
    do {
      const size = Math.min(PAGE_SIZE, limit - items.length);
      const page = await this.get<Page>(path, { ...query, limit: size, cursor: nextCursor ?? undefined });
      items.push(...page.items);
      nextCursor = page.nextCursor;
    } while (nextCursor !== null && items.length < limit);
    return { items, nextCursor };
  }

  async *lines(path: string): AsyncGenerator<string> {
    const response = await this.send('GET', path, {});
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) {
        yield decoder.decode(chunk as Uint8Array, { stream: true });
      }
    } catch (error) {
      throw new UnreachableError(`the answer of ${this.#base.origin} ended before it was whole`, { cause: error });
    }
  }

  private async json<Answer>(method: string, path: string, content: { query?: Query; body?: Row }): Promise<Answer> {
    const response = await this.send(method, path, content);
    return readJson<Answer>(response, this.#base);
  }

  private async send(method: string, path: string, { query = {}, body }: { query?: Query; body?: Row }) {
    const url = under(this.#base, `admin/eventbus/${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) {
        url.searchParams.set(name, String(value));
      }
    }
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(body && { 'content-type': 'application/json' }),
    };
    const response = await reach(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) {
      throw new FailedError(describeRefusal(response.status, await response.text().catch(() => '')));
    }
    return response;
  }
}

/** Needs no token; an app that is not ready answers too. */
export async function askHealth(base: URL): Promise<Row> {
  return readJson<Row>(await reach(under(base, 'health/ready'), {}), base);
}

function under(base: URL, path: string): URL {
  return new URL(path, base.href.endsWith('/') ? base : `${base.href}/`);
}

/** Follows no redirect: the token is for this address only. */
async function reach(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual' });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const code = (cause as { code?: unknown }).code;
    throw new UnreachableError(
      `${url.origin} cannot be reached${typeof code === 'string' ? ` (${code})` : ''}: does the app run, and is --url or EVENTBUS_URL right?`,
      { cause: error },
    );
  }
}

async function readJson<Answer>(response: Response, base: URL): Promise<Answer> {
  try {
    return (await response.json()) as Answer;
  } catch (error) {
    throw new FailedError(`${response.status}: what ${base.origin} answers is not of the admin API`, { cause: error });
  }
}
