import { waitFor } from '@kernel/eventbus/testing';
import { ADMIN, type AdminApi } from '@kernel/test-support/admin-api';

export interface HeardEvent {
  event: string;
  data: Record<string, unknown> & { items: Record<string, string>[] };
}

/** Reads server-sent events like a browser's fetch. */
export class EventReader {
  readonly heard: HeardEvent[] = [];
  readonly headers: Headers;
  isEnded = false;
  comments = 0;

  private constructor(
    response: Response,
    private readonly abort: AbortController,
  ) {
    this.headers = response.headers;
    void this.read(response).catch(() => undefined);
  }

  static async open(api: AdminApi, token: string, query = ''): Promise<EventReader> {
    const abort = new AbortController();
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${api.url}${ADMIN}/stream${query}`, { headers, signal: abort.signal });
    if (response.status !== 200) {
      throw new Error(`answered ${response.status}`);
    }
    return new EventReader(response, abort);
  }

  hears(event: string, isIt: (data: HeardEvent['data']) => boolean = () => true): Promise<HeardEvent> {
    return waitFor(
      () => this.heard.find((one) => one.event === event && isIt(one.data)),
      `the event ${event} among ${this.heard.length}`,
    );
  }

  deliveries(): Record<string, string>[] {
    return this.heard.filter(({ event }) => event === 'deliveries').flatMap(({ data }) => data.items);
  }

  close(): void {
    this.abort.abort();
  }

  private async read(response: Response): Promise<void> {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const parts = (text + chunk).split('\n\n');
      text = parts.pop()!;
      parts.forEach((part) => this.hear(part));
    }
    this.isEnded = true;
  }

  private hear(part: string): void {
    const found = /^event: (\w+)\ndata: (.*)$/s.exec(part);
    if (found) {
      this.heard.push({ event: found[1]!, data: JSON.parse(found[2]!) as HeardEvent['data'] });
    } else {
      this.comments += part.startsWith(':') ? 1 : 0;
    }
  }
}
