import type { Request } from 'express';

/** By the headers, whether anybody has read it or not. */
export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether a body came that is not announced as JSON: no parser of JSON reads it, and the route would miss every field. */
export function isOtherThanJson(request: Request): boolean {
  return hasBody(request) && !request.is('application/json');
}
