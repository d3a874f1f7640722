import { isIP } from 'node:net';
import {
  AxiosError,
  CanceledError,
  type AxiosAdapter,
  type AxiosRequestConfig,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios';
import { CappedResponse } from './capped-response.js';
import type { PinnedPools } from './pinned-pools.js';
import type { ResolvedAddress } from '../dns/resolver.js';

export interface PinnedRequestConfig extends AxiosRequestConfig {
  /** The address that the guard vetted for this request. Without it the adapter sends nothing. */
  pinnedAddress: ResolvedAddress;
}

export const defaultResponseCapBytes = 16 * 1024;

/**
 * An axios adapter that posts bytes over undici. Any status is a response, including redirects. Its errors carry only a
 * code: axios would attach the config, and with it the payload and the signature, to every logged error.
 */
export function createUndiciAdapter(pools: PinnedPools): AxiosAdapter {
  return async (config) => {
    const pinned = requirePinned(config);
    const { origin, path } = targetOf(config.url ?? '');
    const signal = config.signal as AbortSignal | undefined;
    if (signal?.aborted) throw new CanceledError();

    const response = new CappedResponse(responseCap(config.maxContentLength));
    const cancel = () => response.cancel(new CanceledError());
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      pools.acquire(origin, pinned).dispatch(
        {
          origin,
          path,
          method: 'POST',
          headers: wireHeaders(config),
          body: requireBytes(config.data),
        },
        response,
      );
      const { statusCode, statusText, headers, body } = await response.settled;
      const data = body.length > 0 ? body.toString('utf8') : '';
      return { status: statusCode, statusText, headers, data, config } as AxiosResponse;
    } catch (error) {
      throw withoutConfig(error);
    } finally {
      signal?.removeEventListener('abort', cancel);
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

function requirePinned(config: InternalAxiosRequestConfig): ResolvedAddress {
  const { pinnedAddress } = config as Partial<PinnedRequestConfig>;
  if (pinnedAddress && isIP(pinnedAddress.address)) return pinnedAddress;
  const message = 'The request has no vetted address: send it through OutgoingHttp, which sets pinnedAddress.';
  throw new AxiosError(message, 'EVENTBUS_UNPINNED_REQUEST');
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
function wireHeaders(config: InternalAxiosRequestConfig): string[] {
  const wire = ['accept-encoding', 'identity'];
  for (const name of Object.keys(config.headers)) {
    const value = config.headers[name] as string | number | boolean | null | undefined;
    if (value !== undefined && value !== null && value !== false && !isOurs(name)) wire.push(name, String(value));
  }
  return wire;
}

function isOurs(name: string): boolean {
  const lowerName = name.toLowerCase();
  return lowerName === 'host' || lowerName === 'accept-encoding';
}

function responseCap(maxContentLength: number | undefined): number {
  const isSet = maxContentLength !== undefined && maxContentLength >= 0;
  return isSet ? maxContentLength : defaultResponseCapBytes;
}

function withoutConfig(error: unknown): AxiosError {
  if (error instanceof AxiosError) return error;
  const { code, name, message } = error as Error & { code?: string };
  return new AxiosError(message, code ?? (name === 'HTTPParserError' ? 'HPE_UNKNOWN' : 'UND_ERR'));
}
