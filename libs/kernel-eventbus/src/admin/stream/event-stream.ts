import type { ServerResponse } from 'node:http';

/** What a reader may leave unread before messages are dropped: enough for several of the largest. */
const MOST_UNREAD_BYTES = 262_144;
/** One that reads nothing for so many messages is gone. */
const MOST_DROPPED = 60;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies would collect it until it is complete, which it never is.
  'x-accel-buffering': 'no',
};

/** Server-sent events to one reader. A slow one misses messages; nothing is kept for him. */
export class EventStream {
  #dropped = 0;

  constructor(private readonly response: ServerResponse) {
    response.writeHead(200, HEADERS);
    response.flushHeaders();
  }

  onClose(act: () => void): void {
    this.response.once('close', act);
  }

  get isOpen(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }

  send(event: string, data: unknown): void {
    this.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Keeps proxies and readers from taking the silence for the end. */
  keepAlive(): void {
    this.write(': keep-alive\n\n');
  }

  /** What is unread is dropped: whoever does not read would never let it end, nor the server close. */
  end(): void {
    if (this.response.writableLength > 0) {
      this.response.destroy();
    } else {
      this.response.end();
    }
  }

  private write(text: string): void {
    if (!this.isOpen) {
      return;
    }
    if (this.response.writableLength <= MOST_UNREAD_BYTES) {
      this.#dropped = 0;
      this.response.write(text);
    } else if (++this.#dropped > MOST_DROPPED) {
      this.response.destroy();
    }
  }
}
