import type { Dispatcher } from 'undici';
import { abortedWith, type Abortable } from '../limits/abort-listeners.js';
import { Deadlines, type Expiring } from '../limits/deadlines.js';

export interface RawResponse {
  statusCode: number;
  statusText: string;
  headers: Record<string, string>;
  body: string;
}

export const responseCapBytes = 16 * 1024;
/** Axios compares every header with every other one; a hostile server must not cause seconds of work. */
const maxHeaders = 100;

const deadlines = new Deadlines();

/** The request was aborted by its deadline or by its caller. */
export class ExchangeAbortedError extends Error {
  readonly code = 'ERR_CANCELED';
}

/**
 * A request on its way: undici's handler, one deadline over everything, the caller's signal, and the response up to a
 * byte cap. Settles exactly once; later data is dropped with its socket.
 */
export class Exchange implements Dispatcher.DispatchHandler, Expiring, Abortable {
  hasExpired = false;
  private readonly tick: number;
  private readonly others: Set<Abortable> | undefined;
  private resolve: ((response: RawResponse) => void) | undefined;
  private reject: ((error: Error) => void) | undefined;
  private failure: Error | undefined;
  private hasAnswer = false;
  private controller: Dispatcher.DispatchController | undefined;
  private aborting: AbortController | undefined;
  private statusCode = 0;
  private statusText = '';
  private headers: Record<string, string> = {};
  private readonly chunks: Buffer[] = [];
  private missingBytes = responseCapBytes;

  constructor(timeoutMs: number, caller?: AbortSignal) {
    this.tick = deadlines.add(this, timeoutMs);
    this.others = caller && abortedWith(caller).add(this);
    if (caller?.aborted) this.abort();
  }

  /** True if it was aborted before it was answered. */
  get isAborted(): boolean {
    return this.failure instanceof ExchangeAbortedError;
  }

  /** For steps before the request that take a signal. */
  get signal(): AbortSignal {
    this.aborting ??= new AbortController();
    if (this.isAborted) this.aborting.abort();
    return this.aborting.signal;
  }

  /** Call it once. */
  response(): Promise<RawResponse> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      if (this.failure) reject(this.failure);
    });
  }

  /** Frees what it holds, whatever its state. */
  end(): void {
    deadlines.remove(this, this.tick);
    this.others?.delete(this);
  }

  expire(): void {
    this.hasExpired = !this.isSettled;
    this.abort();
  }

  /** Rejects now, and destroys the socket if the request is already on it. */
  abort(): void {
    if (this.isSettled) return;
    const error = new ExchangeAbortedError('the request was aborted');
    this.fail(error);
    this.aborting?.abort();
    this.controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Aborted while waiting for a socket. Throwing skips the request; aborting would also destroy a healthy socket.
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

  private get isSettled(): boolean {
    return this.hasAnswer || this.failure !== undefined;
  }

  private succeed(): void {
    if (this.isSettled) return;
    this.hasAnswer = true;
    const { statusCode, statusText, headers, chunks } = this;
    const body = chunks.length === 0 ? '' : Buffer.concat(chunks).toString('utf8');
    this.resolve?.({ statusCode, statusText, headers, body });
  }

  private fail(error: Error): void {
    if (this.isSettled) return;
    this.failure = error;
    this.reject?.(error);
  }
}

/** Some parser errors have no code. */
function withCode(error: Error & { code?: string }): Error {
  return error.code
    ? error
    : Object.assign(error, { code: error.name === 'HTTPParserError' ? 'HPE_UNKNOWN' : 'UND_ERR' });
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
