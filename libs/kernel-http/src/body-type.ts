import type { IncomingMessage } from 'node:http';

/** Decided by the headers, independent of parsing. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** True for a body without a JSON content type: no JSON parser reads it, and the route would miss every field. */
export function isOtherThanJson(request: IncomingMessage): boolean {
  const [type] = (request.headers['content-type'] ?? '').split(';', 1);
  return hasBody(request) && type!.trim().toLowerCase() !== 'application/json';
}
