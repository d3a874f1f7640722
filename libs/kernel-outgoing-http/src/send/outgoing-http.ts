import { HttpService } from '@nestjs/axios';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { AxiosAdapter, AxiosResponse } from 'axios';
import { toBodyExcerpt } from './body-excerpt.js';
import { checkHeaders } from './check-headers.js';
import { classifyFailure, type FailureDescription, type OutgoingErrorClass } from './classify-failure.js';
import { Deadline } from '../limits/deadline.js';
import { OutgoingGuard, type AddressVerdict } from '../guard/outgoing-guard.js';
import { PinnedPools } from './pinned-pools.js';
import type { UrlOwner } from '../dns/resolver.js';
import { createUndiciAdapter, defaultResponseCapBytes, type PinnedRequestConfig } from './undici-adapter.js';
import type { GuardRefusal } from '../guard/url-policy.js';

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
    const deadline = new Deadline(request.timeoutMs, request.signal);
    try {
      const result = await this.vetAndSend(request, deadline);
      return { ...result, latencyMs: Math.round(performance.now() - startedAt) };
    } finally {
      deadline.clear();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.guard.close();
    await this.pools.close();
  }

  private async vetAndSend(request: OutgoingRequest, deadline: Deadline): Promise<Unmeasured<OutgoingResult>> {
    const headers = checkHeaders(request.headers);
    if (!headers.isAllowed) return failure({ errorClass: 'guard', message: headers.message });
    const verdict = await this.guard.vet(request.url, request, deadline.signal);
    if (deadline.signal.aborted) return failure(describeAbort(deadline, verdict));
    if (!verdict.isAllowed) return failure(describeRefusal(verdict));

    const { url, address, family } = verdict;
    try {
      return toResponse(await this.send(url, { address, family }, request, deadline.signal));
    } catch (error) {
      if (deadline.signal.aborted) return failure(describeAbort(deadline));
      const code = (error as { code?: unknown } | null)?.code;
      // No code: an interceptor of the host threw, not the network. The caller must see that.
      if (typeof code !== 'string') throw error;
      return failure(classifyFailure(code));
    }
  }

  private send(
    url: URL,
    pinnedAddress: PinnedRequestConfig['pinnedAddress'],
    { headers, body }: OutgoingRequest,
    signal: AbortSignal,
  ): Promise<AxiosResponse<string>> {
    const config: PinnedRequestConfig = {
      method: 'post',
      url: url.href,
      headers,
      data: body,
      pinnedAddress,
      adapter: this.adapter,
      signal,
      maxContentLength: defaultResponseCapBytes,
      // The bytes are signed: axios must neither rewrite them nor parse the response.
      transformRequest: [],
      transformResponse: [],
    };
    return this.http.axiosRef.request<string>(config);
  }
}

function toResponse({ status, headers, data }: AxiosResponse<string>): Unmeasured<OutgoingResponse> {
  return {
    kind: 'response',
    statusCode: status,
    headers: headers as Record<string, string>,
    bodyExcerpt: toBodyExcerpt(String(data ?? '')),
  };
}

function failure(description: FailureDescription): Unmeasured<OutgoingFailure> {
  return { kind: 'failure', ...description };
}

function describeRefusal({ code, message }: GuardRefusal): FailureDescription {
  return { errorClass: code === 'dns' ? 'dns' : 'guard', message };
}

/** `verdict` is set if the request was not sent. */
function describeAbort({ isExpired }: Deadline, verdict?: AddressVerdict): FailureDescription {
  if (!isExpired) return { errorClass: 'connection', message: 'the request was cancelled by the caller' };
  const isUnresolved = verdict?.isAllowed === false && verdict.code === 'aborted';
  return {
    errorClass: 'timeout',
    message: isUnresolved ? verdict.message : 'no complete response before the deadline',
  };
}
