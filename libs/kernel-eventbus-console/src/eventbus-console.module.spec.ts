import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, type INestApplication, type MiddlewareConsumer, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventBusConsoleModule, type EventBusConsoleOptions, InvalidConsoleOptionsError } from './index.js';

const INDEX = `<!doctype html>
<html lang="en">
  <head>
    <script type="module" src="./assets/index-a1b2.js"></script>
    <link rel="icon" href="./favicon.svg" />
  </head>
</html>
`;
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors";

@Controller('orders')
class OrdersController {
  @Get()
  list() {
    return ['an order'];
  }
}

@Module({ controllers: [OrdersController] })
class OrdersModule {
  configure(consumer: MiddlewareConsumer): void {
    const mark = (_request: IncomingMessage, response: ServerResponse, next: () => void) => {
      response.setHeader('x-host', 'middleware');
      next();
    };
    consumer.apply(mark).forRoutes('{*path}');
  }
}

describe('EventBusConsoleModule', () => {
  let directory: string;
  let app: INestApplication | undefined;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'console-'));
    await mkdir(join(directory, 'pages', 'assets'), { recursive: true });
    await writeFile(join(directory, 'pages', 'index.html'), INDEX);
    await writeFile(join(directory, 'pages', 'favicon.svg'), '<svg/>');
    await writeFile(join(directory, 'pages', 'assets', 'index-a1b2.js'), 'export {};');
    await writeFile(join(directory, 'secret'), 'outside');
  });
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });
  afterAll(() => rm(directory, { recursive: true }));

  /** A host with the console. Returns a function that sends requests to it. */
  async function setup(options: EventBusConsoleOptions = {}, globalPrefix?: string) {
    const pagesDirectory = join(directory, 'pages');
    const host: INestApplication = await NestFactory.create(
      { module: OrdersModule, imports: [EventBusConsoleModule.forRoot({ pagesDirectory, ...options })] },
      { logger: false, abortOnError: false },
    );
    app = host;
    // Headers of the host, which the console replaces.
    host.use((_request: IncomingMessage, response: ServerResponse, next: () => void) => {
      response.setHeader('x-frame-options', 'SAMEORIGIN');
      response.setHeader('content-security-policy', "default-src 'self'");
      next();
    });
    if (globalPrefix) host.setGlobalPrefix(globalPrefix);
    await host.listen(0, '127.0.0.1');
    const url = await host.getUrl();
    return async (path: string, init: RequestInit = {}) => {
      const response = await fetch(`${url}${path}`, { redirect: 'manual', ...init });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text: await response.text(),
      };
    };
  }

  it('serves the index page at its path and at deep links, never cached', async () => {
    const get = await setup();
    for (const path of [
      '/console',
      '/console/',
      '/console/index.html',
      '/console/deliveries/1?tab=body',
      '/console/assets',
    ]) {
      const { status, headers, text } = await get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).toContain('src="/console/assets/index-a1b2.js"');
      expect(text).toContain('href="/console/favicon.svg"');
      expect(text).toContain(
        '<html data-path="/console" data-admin-path="/admin/eventbus" data-default-theme="system" lang="en">',
      );
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-length': String(Buffer.byteLength(text)),
        'cache-control': 'no-store',
      });
    }
  });

  it('sets its own security headers, whatever those of the host are', async () => {
    const get = await setup();
    for (const path of ['/console', '/console/assets/index-a1b2.js', '/console/assets/gone.js']) {
      expect((await get(path)).headers).toMatchObject({
        'content-security-policy': `${POLICY} 'none'`,
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
    }
  });

  it('lets assets be cached for ever and other files not at all', async () => {
    const get = await setup();
    const asset = await get('/console/assets/index-a1b2.js');
    expect(asset).toMatchObject({ status: 200, text: 'export {};' });
    expect(asset.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': expect.stringContaining('text/javascript'),
    });
    const icon = await get('/console/favicon.svg');
    expect(icon).toMatchObject({ status: 200, text: '<svg/>' });
    expect(icon.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'image/svg+xml' });
  });

  it('answers 404 for an unknown asset, uncached', async () => {
    const { status, headers } = await (await setup())('/console/assets/index-gone.js');
    expect(status).toBe(404);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' });
  });

  it.each([
    ['/console/assets/index-a1b2.js', { range: 'bytes=99999999-' }, 416],
    ['/console/favicon.svg', { range: 'bytes=99999999-' }, 416],
    ['/console/assets/index-a1b2.js', { 'if-match': '"other"' }, 412],
  ])('does not take the file %s for missing under %j', async (path, headers, status) => {
    expect(await (await setup())(path, { headers })).toMatchObject({ status });
  });

  it('serves nothing from outside of its directory', async () => {
    const get = await setup();
    for (const path of ['/console/..%2fsecret', '/console/assets/..%2f..%2fsecret', '/console/%00', '/console/%']) {
      const { status, text } = await get(path);
      expect(status).toBeLessThan(500);
      expect(text).not.toContain('outside');
    }
  });

  it('answers HEAD without a body, and leaves other methods and paths to the host', async () => {
    const get = await setup();
    const head = await get('/console', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
    expect((await get('/console', { method: 'POST' })).status).toBe(404);
    expect((await get('/consoles')).status).toBe(404);
    const orders = await get('/orders');
    expect(orders.text).toBe('["an order"]');
    expect(orders.headers['content-security-policy']).toBe("default-src 'self'");
  });

  it("runs after the host's middleware", async () => {
    expect((await (await setup())('/console')).headers).toMatchObject({ 'x-host': 'middleware' });
  });

  it('is served at another path, for an admin API and with a theme of choice', async () => {
    const get = await setup({ path: '/ops/bus', adminPath: '/api/admin/eventbus', theme: 'dark' }, 'api');
    const { status, text } = await get('/ops/bus/events');
    expect(status).toBe(200);
    expect(text).toContain('src="/ops/bus/assets/index-a1b2.js"');
    expect(text).toContain('data-path="/ops/bus" data-admin-path="/api/admin/eventbus" data-default-theme="dark"');
    expect((await get('/ops/bus/assets/index-a1b2.js')).status).toBe(200);
    expect((await get('/console')).status).toBe(404);
    expect((await get('/api/orders')).status).toBe(200);
  });

  it('may be framed by the origins that are named', async () => {
    const get = await setup({ frameAncestors: ['self', 'https://*.example.com', 'http://localhost:4200'] });
    const { headers } = await get('/console');
    expect(headers['content-security-policy']).toBe(`${POLICY} 'self' https://*.example.com http://localhost:4200`);
    expect(headers).not.toHaveProperty('x-frame-options');
  });

  it('says how to build the pages while there are none', async () => {
    const get = await setup({ pagesDirectory: join(directory, 'nowhere') });
    const { status, headers, text } = await get('/console');
    expect(status).toBe(503);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text).toContain('npm run build');
  });

  it('starts without HTTP too', async () => {
    const module = { module: OrdersModule, imports: [EventBusConsoleModule.forRoot()] };
    const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    await context.close();
  });

  it.each<[object, string]>([
    [{ colour: 'red' }, 'options: Unrecognized key: "colour"'],
    [{ path: 'console' }, 'path: must begin with a slash, end without one and need no escaping, e.g. /console'],
    [{ path: '/' }, 'path: must begin with a slash'],
    [{ path: '/console/' }, 'path: must begin with a slash, end without one'],
    [{ path: '/a/../b' }, 'path: must begin with a slash'],
    [{ adminPath: '/a"b' }, 'adminPath: must begin with a slash'],
    [{ frameAncestors: ['*; script-src *'] }, 'frameAncestors.0: must be "self" or an origin'],
    [{ frameAncestors: ['https://a.example/path'] }, 'frameAncestors.0: must be "self" or an origin'],
    [{ theme: 'pink' }, 'theme: Invalid option'],
  ])('refuses %j', (options, message) => {
    const forRoot = () => EventBusConsoleModule.forRoot(options);
    expect(forRoot).toThrow(InvalidConsoleOptionsError);
    expect(forRoot).toThrow(`EventBusConsoleModule options are not valid: ${message}`);
  });
});
