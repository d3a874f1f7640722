import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import send from 'send';
import type { PageSettings } from './console.options.js';
import { setPageHeaders } from './page-headers.js';
import { renderIndex } from './render-index.js';

export type PageHandler = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Names of files below it contain a hash of their content. */
const ASSETS = '/assets/';
const IMMUTABLE = 'public, max-age=31536000, immutable';

const NOT_BUILT =
  'The pages of the console are missing: build them with "npm run build", or install the package again.\n';

/**
 * Serves the pages with Node's own request and response, as middleware of Express and Fastify gets them. Every path
 * that is no file gets the index page, which reads the path.
 */
export function servePages(config: PageSettings): PageHandler {
  return (request, response, next) => {
    const page = pagePath(request, config.path);
    if (page === undefined) {
      next();
      return;
    }
    setPageHeaders(response, config.frameAncestors);
    response.setHeader('cache-control', page.startsWith(ASSETS) ? IMMUTABLE : 'no-store');
    if (page === '/' || page === '/index.html') {
      sendIndex(request, response, config).catch(next);
    } else {
      sendFile(request, response, { page, config, next });
    }
  };
}

/** Path within the console, or undefined if the request is for another part of the host. */
function pagePath({ method, url = '' }: IncomingMessage, path: string): string | undefined {
  const pathname = url.split('?', 1)[0]!;
  const isOurs = pathname === path || pathname.startsWith(`${path}/`);
  return isOurs && (method === 'GET' || method === 'HEAD') ? pathname.slice(path.length) || '/' : undefined;
}

interface FileRequest {
  page: string;
  config: PageSettings;
  next: (error?: unknown) => void;
}

function sendFile(request: IncomingMessage, response: ServerResponse, { page, config, next }: FileRequest): void {
  const sendFallback = () => {
    if (page.startsWith(ASSETS)) {
      response.setHeader('cache-control', 'no-store');
      sendText(request, response, { status: 404, text: 'There is no such file.\n' });
    } else {
      sendIndex(request, response, config).catch(next);
    }
  };
  send(request, page, { root: config.pagesDirectory, index: false, cacheControl: false })
    .on('directory', sendFallback)
    .on('error', (error: { status?: number }) => (isMissing(error) ? sendFallback() : next(error)))
    .pipe(response);
}

/** Other errors are about the request for a file that exists: its range or its precondition. */
function isMissing({ status }: { status?: number }): boolean {
  return status === 400 || status === 403 || status === 404;
}

async function sendIndex(request: IncomingMessage, response: ServerResponse, config: PageSettings): Promise<void> {
  const html = await readIndex(config.pagesDirectory);
  if (html === undefined) {
    sendText(request, response, { status: 503, text: NOT_BUILT });
  } else {
    sendText(request, response, { status: 200, text: renderIndex(html, config), type: 'text/html' });
  }
}

async function readIndex(directory: string): Promise<string | undefined> {
  try {
    return await readFile(join(directory, 'index.html'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

interface TextResponse {
  status: number;
  text: string;
  type?: string;
}

function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  { status, text, type = 'text/plain' }: TextResponse,
): void {
  response.statusCode = status;
  response.setHeader('content-type', `${type}; charset=utf-8`);
  response.setHeader('content-length', Buffer.byteLength(text));
  response.end(request.method === 'HEAD' ? undefined : text);
}
