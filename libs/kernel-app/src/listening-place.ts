import { isIPv6 } from 'node:net';

export interface ListeningPlace {
  /** An IP address; `0.0.0.0` or `::` is every interface. Default: 127.0.0.1, which other machines cannot reach. */
  readonly host?: string;
  /** 0 picks a free port. */
  readonly port: number;
}

export const LOOPBACK = '127.0.0.1';

export function originOf(host: string, port: number): string {
  return new URL(`http://${isIPv6(host) ? `[${host}]` : host}:${port}`).origin;
}

/** The same server as a process of this machine reaches it: nothing can connect to "every interface". */
export function reachableOrigin(origin: string): string {
  const url = new URL(origin);
  if (url.hostname === '0.0.0.0') {
    url.hostname = LOOPBACK;
  } else if (url.hostname === '[::]') {
    url.hostname = '[::1]';
  }
  return url.origin;
}
