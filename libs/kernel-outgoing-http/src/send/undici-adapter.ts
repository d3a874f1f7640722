import { isIP } from 'node:net';
import { AxiosError, CanceledError, type AxiosAdapter, type AxiosRequestConfig, type AxiosResponse } from 'axios';
import type { RawResponse } from './capped-response.js';
import type { Exchange } from './exchange.js';
import type { PinnedPools } from './pinned-pools.js';
import type { ResolvedAddress } from '../dns/resolver.js';

export interface PinnedRequestConfig extends AxiosRequestConfig {
  /** The address that the guard vetted for this request. Without it the adapter sends nothing. */
  pinnedAddress: ResolvedAddress;
  exchange: Exchange;
}

/** Axios allows more than text; null, undefined and false are not sent. */
export type WireHeaders = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Bytes for an address that the guard vetted. */
export interface PinnedRequest {
  url: string;
  pinnedAddress: ResolvedAddress;
  headers: WireHeaders;
  body: Buffer | string | null;
  exchange: Exchange;
}

/** Posts bytes over undici. Any status is a response, including redirects. */
export function postPinned(pools: PinnedPools, request: PinnedRequest): Promise<RawResponse> {
  const { url, pinnedAddress, headers, body, exchange } = request;
  const { origin, path } = targetOf(url);
  const pool = pools.acquire(origin, pinnedAddress);
  const response = exchange.newResponse();
  if (!exchange.isAborted) {
    pool.dispatch({ origin, path, method: 'POST', headers: wireHeaders(headers), body }, response);
  }
  return response.settled;
}

/**
 * `postPinned` as an axios adapter, for requests that interceptors want to see. Its errors carry only a code: axios
 * would attach the config, and with it the payload and the signature, to every logged error.
 */
export function createUndiciAdapter(pools: PinnedPools): AxiosAdapter {
  return async (config) => {
    const { pinnedAddress, exchange } = config as Partial<PinnedRequestConfig>;
    if (!exchange || !pinnedAddress || !isIP(pinnedAddress.address)) {
      const message = 'The request has no vetted address: send it through OutgoingHttp, which sets pinnedAddress.';
      throw new AxiosError(message, 'EVENTBUS_UNPINNED_REQUEST');
    }
    const { url = '', headers } = config;
    try {
      const body = requireBytes(config.data);
      const answer = await postPinned(pools, { url, pinnedAddress, headers, body, exchange });
      const { statusCode, statusText, headers: answered, body: data } = answer;
      return { status: statusCode, statusText, headers: answered, data, config } as AxiosResponse;
    } catch (error) {
      throw exchange.isAborted ? new CanceledError() : withoutConfig(error);
    }
  };
}

interface Target {
  origin: string;
  path: string;
}

/** Cache of parsed targets: every attempt uses the same few. */
const knownTargets = new Map<string, Target>();
const maxKnownTargets = 1_024;

function targetOf(text: string): Target {
  const known = knownTargets.get(text);
  if (known) return known;
  const { origin, pathname, search } = new URL(text);
  const target = { origin, path: pathname + search };
  if (knownTargets.size >= maxKnownTargets) knownTargets.clear();
  knownTargets.set(text, target);
  return target;
}

function requireBytes(data: unknown): Buffer | string | null {
  if (data === undefined || data === null) return null;
  if (typeof data === 'string' || Buffer.isBuffer(data)) return data;
  throw new AxiosError(
    'The body has to be a Buffer or a string: these are the bytes that were signed.',
    'EVENTBUS_BODY',
  );
}

/** Host follows the URL, which the guard vetted and TLS verifies. */
function wireHeaders(headers: WireHeaders): string[] {
  const wire = ['accept-encoding', 'identity'];
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined && value !== null && value !== false && !isOurs(name)) wire.push(name, String(value));
  }
  return wire;
}

function isOurs(name: string): boolean {
  const lowerName = name.toLowerCase();
  return lowerName === 'host' || lowerName === 'accept-encoding';
}

function withoutConfig(error: unknown): AxiosError {
  const { message, code } = error as Error & { code: string };
  return error instanceof AxiosError ? error : new AxiosError(message, code);
}
