import { pageSettings } from '../page-settings.ts';
import { Problem, readProblem } from './problem.ts';

export type Query = Record<string, string | number | boolean | null | undefined>;

export interface Request {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
}

/** The bearer token, and the callback for a 401. Both are set by the session. */
export const credentials: { token: string | null; onRefused: () => void } = { token: null, onRefused: () => {} };

export async function ask<T>(path: string, request: Request = {}): Promise<T> {
  const response = await send(path, request);
  const text = await response.text();
  return (text ? JSON.parse(text) : undefined) as T;
}

/** The response before its body is read. */
export async function send(path: string, { method = 'GET', query, body, signal }: Request = {}): Promise<Response> {
  const { token } = credentials;
  let response: Response;
  try {
    response = await fetch(`${pageSettings.adminPath}${path}${toSearch(query)}`, {
      method,
      signal,
      cache: 'no-store',
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    throw signal?.aborted ? error : new Problem(0, 'the app cannot be reached: is it running?');
  }
  if (response.ok) {
    return response;
  }
  const problem = await readProblem(response);
  if (problem.status === 401 && token !== null && token === credentials.token) {
    credentials.onRefused();
  }
  throw problem;
}

/** Omits empty values. */
export function toSearch(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search && `?${search}`;
}

export function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem(0, error instanceof Error ? error.message : String(error));
}
