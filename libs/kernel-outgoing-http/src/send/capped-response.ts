import type { Dispatcher } from 'undici';

export interface RawResponse {
  statusCode: number;
  statusText: string;
  headers: Record<string, string>;
  body: string;
}

export const responseCapBytes = 16 * 1024;
/** Axios compares every header with every other one; a hostile server must not cause seconds of work. */
const maxHeaders = 100;

/** Collects one response up to a byte cap. Settles exactly once; later data is dropped with its socket. */
export class CappedResponse implements Dispatcher.DispatchHandler {
  readonly settled: Promise<RawResponse>;
  private readonly resolve: (response: RawResponse) => void;
  private readonly reject: (error: unknown) => void;
  private controller: Dispatcher.DispatchController | undefined;
  private isSettled = false;
  private statusCode = 0;
  private statusText = '';
  private headers: Record<string, string> = {};
  private readonly chunks: Buffer[] = [];
  private missingBytes = responseCapBytes;

  constructor() {
    const { promise, resolve, reject } = Promise.withResolvers<RawResponse>();
    this.settled = promise;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** Rejects now, and destroys the socket if the request is already on it. */
  cancel(error: Error): void {
    if (this.isSettled) return;
    this.fail(error);
    this.controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Cancelled while waiting for a socket. Throwing skips the request; aborting would also destroy a healthy socket.
    if (this.isSettled) throw new Error('cancelled before it was sent');
    this.controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
    statusText?: string,
  ): void {
    const isInformational = statusCode < 200;
    if (isInformational) return;
    this.statusCode = statusCode;
    this.statusText = statusText ?? '';
    this.headers = flatten(headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isSettled) return;
    this.chunks.push(chunk.length > this.missingBytes ? chunk.subarray(0, this.missingBytes) : chunk);
    this.missingBytes -= chunk.length;
    if (this.missingBytes > 0) return;
    this.succeed();
    controller.abort(new Error('response body over the cap'));
  }

  onResponseEnd(): void {
    this.succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(withCode(error));
  }

  private succeed(): void {
    if (this.isSettled) return;
    this.isSettled = true;
    const { statusCode, statusText, headers, chunks } = this;
    const body = chunks.length === 0 ? '' : Buffer.concat(chunks).toString('utf8');
    this.resolve({ statusCode, statusText, headers, body });
  }

  private fail(error: Error): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.reject(error);
  }
}

/** Some parser errors have no code. */
function withCode(error: Error & { code?: string }): Error {
  const code = error.name === 'HTTPParserError' ? 'HPE_UNKNOWN' : 'UND_ERR';
  return error.code ? error : Object.assign(error, { code });
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  // Without a prototype: a header may be called __proto__.
  const flat = Object.create(null) as Record<string, string>;
  let count = 0;
  for (const name in headers) {
    if (++count > maxHeaders) break;
    const value = headers[name];
    flat[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  return flat;
}
