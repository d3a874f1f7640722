import type { Request } from 'express';

/** Whether a body came that is not announced as JSON: no parser of JSON reads it, and the route would miss every field. */
export function isOtherThanJson(request: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  const hasBody = coding !== undefined || Number(length ?? 0) > 0;
  return hasBody && !request.is('application/json');
}
