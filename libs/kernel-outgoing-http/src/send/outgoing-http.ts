import { HttpService } from '@nestjs/axios';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { AxiosAdapter, AxiosInstance, AxiosInterceptorManager } from 'axios';
import { toBodyExcerpt } from './body-excerpt.js';
import { checkHeaders } from './check-headers.js';
import { classifyFailure, type FailureDescription, type OutgoingErrorClass } from './classify-failure.js';
import type { RawResponse } from './capped-response.js';
import { Exchange } from './exchange.js';
import { OutgoingGuard, type AddressVerdict } from '../guard/outgoing-guard.js';
import { PinnedPools } from './pinned-pools.js';
import type { UrlOwner } from '../dns/resolver.js';
import { createUndiciAdapter, postPinned, type PinnedRequestConfig, type WireHeaders } from './undici-adapter.js';
import type { GuardRefusal, PinnedUrl } from '../guard/url-policy.js';

export interface OutgoingRequest extends UrlOwner {
  url: string;
  headers: Record<string, string>;
  body: Buffer | string;
  /** One deadline from DNS to the last byte of the response. */
  timeoutMs: number;
  signal?: AbortSignal;
}

export type OutgoingResponse = {
  kind: 'response';
  statusCode: number;
  headers: Record<string, string>;
  bodyExcerpt: string;
  latencyMs: number;
};
export type OutgoingFailure = { kind: 'failure'; errorClass: AttemptErrorClass; message: string; latencyMs: number };
/**
 * Besides network errors: failures of a dispatcher, middleware or handler of the application, and those of destinations
 * without HTTP statuses: `unavailable` (cannot accept now) and `refused` (never will).
 */
export type AttemptErrorClass =
  OutgoingErrorClass | 'dispatcher' | 'middleware' | 'handler' | 'handler_refused' | 'unavailable' | 'refused';
export type OutgoingResult = OutgoingResponse | OutgoingFailure;

type Unmeasured<T> = T extends unknown ? Omit<T, 'latencyMs'> : never;

/** The library's only HTTP client: vet, pin, post. Network failures are returned as values. */
@Injectable()
export class OutgoingHttp implements OnApplicationShutdown {
  private readonly adapter: AxiosAdapter;

  constructor(
    private readonly http: HttpService,
    private readonly guard: OutgoingGuard,
    private readonly pools: PinnedPools,
  ) {
    this.adapter = createUndiciAdapter(pools);
  }

  async post(request: OutgoingRequest): Promise<OutgoingResult> {
    const startedAt = performance.now();
    const exchange = new Exchange(request.timeoutMs, request.signal);
    try {
      const result = (await this.vetAndSend(request, exchange)) as OutgoingResult;
      result.latencyMs = Math.round(performance.now() - startedAt);
      return result;
    } finally {
      exchange.end();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.guard.close();
    await this.pools.close();
  }

  private async vetAndSend(request: OutgoingRequest, exchange: Exchange): Promise<Unmeasured<OutgoingResult>> {
    const headers = checkHeaders(request.headers);
    if (!headers.isAllowed) return failure({ errorClass: 'guard', message: headers.message });
    const verdict = this.guard.pinLiteral(request) ?? (await this.guard.vet(request.url, request, exchange.signal));
    if (exchange.isAborted) return failure(describeAbort(exchange, verdict));
    if (!verdict.isAllowed) return failure(describeRefusal(verdict));
    try {
      return toResponse(await this.send(verdict, request, exchange));
    } catch (error) {
      if (exchange.isAborted) return failure(describeAbort(exchange));
      const code = (error as { code?: unknown } | null)?.code;
      // No code: an interceptor of the host threw, not the network. The caller must see that.
      if (typeof code !== 'string') throw error;
      return failure(classifyFailure(code));
    }
  }

  /** Through axios only if the host added interceptors: merging its defaults took a third of a worker's time. */
  private async send(pinned: PinnedUrl, { headers, body }: OutgoingRequest, exchange: Exchange): Promise<RawResponse> {
    const { axiosRef } = this.http;
    const { address, family } = pinned;
    const request = { url: pinned.url.href, pinnedAddress: { address, family }, exchange };
    if (!isIntercepted(axiosRef)) {
      const all = { ...axiosRef.defaults.headers.common, ...headers } as WireHeaders;
      return postPinned(this.pools, { ...request, headers: all, body });
    }
    const config: PinnedRequestConfig = {
      ...request,
      method: 'post',
      headers,
      data: body,
      adapter: this.adapter,
      // The bytes are signed: axios must neither rewrite them nor parse the response.
      transformRequest: [],
      transformResponse: [],
    };
    const { status, statusText, headers: answered, data } = await axiosRef.request<string>(config);
    return { statusCode: status, statusText, headers: answered as Record<string, string>, body: String(data ?? '') };
  }
}

function isIntercepted({ interceptors }: AxiosInstance): boolean {
  return isUsed(interceptors.request) || isUsed(interceptors.response);
}

function isUsed<V>({ handlers }: AxiosInterceptorManager<V>): boolean {
  return handlers === undefined || handlers.some((handler) => handler !== null);
}

function toResponse({ statusCode, headers, body }: RawResponse): Unmeasured<OutgoingResponse> {
  return { kind: 'response', statusCode, headers, bodyExcerpt: toBodyExcerpt(body) };
}

function failure(description: FailureDescription): Unmeasured<OutgoingFailure> {
  return { kind: 'failure', ...description };
}

function describeRefusal({ code, message }: GuardRefusal): FailureDescription {
  return { errorClass: code === 'dns' ? 'dns' : 'guard', message };
}

/** `verdict` is set if the request was not sent. */
function describeAbort({ hasExpired }: Exchange, verdict?: AddressVerdict): FailureDescription {
  if (!hasExpired) return { errorClass: 'connection', message: 'the request was cancelled by the caller' };
  const isUnresolved = verdict?.isAllowed === false && verdict.code === 'aborted';
  return {
    errorClass: 'timeout',
    message: isUnresolved ? verdict.message : 'no complete response before the deadline',
  };
}
