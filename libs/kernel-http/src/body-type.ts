import type { Request } from 'express';

/** Decided by the headers, independent of parsing. */
export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** True for a body without a JSON content type: no JSON parser reads it, and the route would miss every field. */
export function isOtherThanJson(request: Request): boolean {
  return hasBody(request) && !request.is('application/json');
}
