import { abortedWith, type Abortable } from '../limits/abort-listeners.js';
import { Deadlines, type Expiring } from '../limits/deadlines.js';
import { CappedResponse } from './capped-response.js';

const deadlines = new Deadlines();

/** The request was aborted by its deadline or by its caller. */
export class ExchangeAbortedError extends Error {
  readonly code = 'ERR_CANCELED';
}

/**
 * A request from DNS to the last byte of its response, under one deadline and the caller's signal. An interceptor may
 * send it again: each time has a response of its own.
 */
export class Exchange implements Expiring, Abortable {
  hasExpired = false;
  isAborted = false;
  private readonly tick: number;
  private readonly abortedTogether: Set<Abortable> | undefined;
  private current: CappedResponse | undefined;
  private aborting: AbortController | undefined;

  constructor(timeoutMs: number, caller?: AbortSignal) {
    this.tick = deadlines.add(this, timeoutMs);
    this.abortedTogether = caller && abortedWith(caller).add(this);
    if (caller?.aborted) this.abort();
  }

  /** For steps before the request that take a signal. */
  get signal(): AbortSignal {
    this.aborting ??= new AbortController();
    if (this.isAborted) this.aborting.abort();
    return this.aborting.signal;
  }

  /** undici's handler for one sending. */
  newResponse(): CappedResponse {
    this.current = new CappedResponse();
    if (this.isAborted) this.current.cancel(aborted());
    return this.current;
  }

  /** Ends deadline and signal: nothing aborts it from now on. */
  end(): void {
    deadlines.remove(this, this.tick);
    this.abortedTogether?.delete(this);
  }

  expire(): void {
    this.hasExpired = true;
    this.abort();
  }

  abort(): void {
    this.isAborted = true;
    this.aborting?.abort();
    this.current?.cancel(aborted());
  }
}

function aborted(): ExchangeAbortedError {
  return new ExchangeAbortedError('the request was aborted');
}
