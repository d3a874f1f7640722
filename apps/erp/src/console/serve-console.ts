import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { Router, type NextFunction, type Request, type Response } from 'express';

/** Everything comes from here, and nothing that stands in the page itself runs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The names of built files below it change with their content. */
const ASSETS = '/assets/';
const FOR_EVER = 'public, max-age=31536000, immutable';

const NOT_BUILT = 'The console is not built yet. "npm run build" builds it, and so does "npm start".\n';

/** Serves the built console at `/console`; a path of its own that is no file is the page too, which reads it. */
export function serveConsole(app: NestExpressApplication, folder: string): void {
  const files = express.static(folder, { index: false, redirect: false, cacheControl: false, fallthrough: true });
  const router = Router();
  router.use(leaveOthers, setHeaders, files, (request: Request, response: Response) => {
    if (request.path.startsWith(ASSETS)) {
      response.setHeader('cache-control', 'no-store');
      response.status(404).type('text/plain').send('There is no such file.\n');
    } else if (existsSync(join(folder, 'index.html'))) {
      response.sendFile('index.html', { root: folder, cacheControl: false });
    } else {
      response.status(503).type('text/plain').send(NOT_BUILT);
    }
  });
  app.use('/console', router);
}

function leaveOthers(request: Request, _response: Response, next: NextFunction): void {
  next(request.method === 'GET' || request.method === 'HEAD' ? undefined : 'router');
}

function setHeaders(request: Request, response: Response, next: NextFunction): void {
  response.setHeader('content-security-policy', CONTENT_SECURITY_POLICY);
  response.setHeader('cache-control', request.path.startsWith(ASSETS) ? FOR_EVER : 'no-store');
  next();
}
