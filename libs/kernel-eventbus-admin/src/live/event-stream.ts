import type { ServerResponse } from 'node:http';

/** Unread bytes before messages are dropped: several of the largest messages. */
const MAX_UNREAD_BYTES = 262_144;
/** A reader that misses this many messages in a row is disconnected. */
const MAX_DROPPED = 60;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies would otherwise buffer the response until it ends, which never happens.
  'x-accel-buffering': 'no',
};

/** Server-sent events to one reader. A slow reader misses messages; there is no buffer. */
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

  /** Prevents proxies and readers from closing a silent connection. */
  keepAlive(): void {
    this.write(': keep-alive\n\n');
  }

  /** Drops unread data: a reader that does not read would keep the response, and so the server, from closing. */
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
    if (this.response.writableLength <= MAX_UNREAD_BYTES) {
      this.#dropped = 0;
      this.response.write(text);
    } else if (++this.#dropped > MAX_DROPPED) {
      this.response.destroy();
    }
  }
}
