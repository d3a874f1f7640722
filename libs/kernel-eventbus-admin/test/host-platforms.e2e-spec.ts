import { randomUUID } from 'node:crypto';
import { EventBusConsoleModule } from '@kernel/eventbus-console';
import { EventBusHealthModule, EventBusMetricsModule } from '@kernel/eventbus-ops';
import { currentTraceId } from '@kernel/eventbus';
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  type INestApplication,
  type NestInterceptor,
  Post,
  type Provider,
  SetMetadata,
  UnauthorizedException,
  ValidationPipe,
  VersioningType,
} from '@nestjs/common';
import { type AbstractHttpAdapter, APP_GUARD, APP_INTERCEPTOR, Reflector } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { map, tap } from 'rxjs';
import { TYPE } from '@kernel/test-support/admin-api';
import { type KernelApp, startKernelApp } from '@kernel/test-support/kernel-app';
import { EventBusAdminModule } from '../src/index.js';

const TOKEN = 'operator-token-for-tests';
const Public = () => SetMetadata('public', true);

class HostGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (!new Reflector().getAllAndOverride('public', [context.getHandler(), context.getClass()])) {
      throw new UnauthorizedException('the host knows no such user');
    }
    return true;
  }
}

/** Wraps every result, and sets a header after the handler. */
const wrap: NestInterceptor = {
  intercept: (context, next) =>
    next.handle().pipe(
      map((data: unknown) => ({ success: true, data })),
      tap(() => {
        const response = context.switchToHttp().getResponse<{
          setHeader?(name: string, value: string): void;
          header(name: string, value: string): void;
        }>();
        (response.setHeader ?? response.header).call(response, 'x-host', 'after');
      }),
    ),
};

@Controller('orders')
class OrdersController {
  @Post()
  create(@Body() body: object) {
    return { traceId: currentTraceId(), body };
  }
}

interface Host {
  /** Below which the routes of the kernel are. */
  prefix?: string;
  adminPath?: string;
  providers?: Provider[];
  configure?: (app: INestApplication) => unknown;
}

const HOSTS: Record<string, Host> = {
  'nothing special': {},
  'a ValidationPipe that refuses unknown fields': {
    configure: (app) => app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true })),
  },
  'a global guard': { providers: [{ provide: APP_GUARD, useClass: HostGuard }] },
  'a wrapping interceptor': { providers: [{ provide: APP_INTERCEPTOR, useValue: wrap }] },
  'the global prefix /api': { prefix: '/api', configure: (app) => app.setGlobalPrefix('api') },
  'versions in the URI': {
    configure: (app) => app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' }),
  },
  'the admin API elsewhere': { adminPath: '/ops/bus' },
};
const ADAPTERS: [string, () => AbstractHttpAdapter][] = [
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
];
const CASES = ADAPTERS.flatMap(([name, adapter]) =>
  Object.entries(HOSTS).map(([what, host]) => [name, what, adapter, host] as const),
);

describe.each(CASES)('on %s in a host with %s', (platform, what, adapter, host) => {
  let kernel: KernelApp;
  let url: string;
  let admin: string;
  const tenantId = randomUUID();
  beforeAll(async () => {
    const { prefix = '', adminPath = '/admin/eventbus' } = host;
    const decorators = [Public()];
    kernel = await startKernelApp({
      role: 'api',
      adminToken: TOKEN,
      adapter: adapter(),
      nest: { rawBody: true },
      imports: [
        EventBusAdminModule.forRoot({ path: host.adminPath, decorators }),
        EventBusHealthModule.forRoot({ decorators }),
        EventBusMetricsModule.forRoot({ decorators }),
        EventBusConsoleModule.forRoot({ adminPath: host.adminPath }),
        { module: class OrdersModule {}, controllers: [OrdersController], providers: host.providers ?? [] },
      ],
      configure: (app) => void host.configure?.(app),
    });
    await kernel.app.listen(0, '127.0.0.1');
    const origin = await kernel.app.getUrl();
    url = `${origin}${prefix}`;
    admin = `${url}${adminPath}`;
  });
  afterAll(() => kernel.close());

  const call = (path: string, { method = 'GET', body }: { method?: string; body?: unknown } = {}) =>
    fetch(`${admin}${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  it('the admin API answers unwrapped', async () => {
    const settings = { tenantId, url: 'http://127.0.0.1:9/hook', subscribedTypes: [TYPE] };
    const created = await call('/endpoints', { method: 'POST', body: settings });
    expect([created.status, created.headers.get('content-type')]).toEqual([201, 'application/json; charset=utf-8']);
    const { endpointId } = (await created.json()) as { endpointId: string };
    const listed = await call(`/endpoints?tenantId=${tenantId}`);
    expect(await listed.json()).toMatchObject({ items: [{ endpointId }], nextCursor: null });
    expect(listed.headers.get('cache-control')).toBe('no-store');
    expect(listed.headers.get('content-security-policy')).toContain("default-src 'none'");
    const counted = await call('/deliveries/replay', {
      method: 'POST',
      body: { filter: { all: true }, reason: 'a try', dryRun: true },
    });
    expect([counted.status, await counted.json()]).toEqual([200, { count: 0 }]);
    const exported = await call('/audit/export');
    expect([exported.status, exported.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    expect(JSON.parse((await exported.text()).split('\n')[0]!)).toBeInstanceOf(Object);
    const deleted = await call(`/endpoints/${endpointId}`, { method: 'DELETE' });
    expect(deleted.ok).toBe(true);
    expect(await call(`/endpoints/${endpointId}`).then(({ status }) => status)).not.toBe(500);
  });

  it('refusals are problem documents with the trace id of the response', async () => {
    const unknown = await call('/endpoints', { method: 'POST', body: { tenantId, colour: 'red' } });
    expect([unknown.status, unknown.headers.get('content-type')]).toEqual([
      400,
      'application/problem+json; charset=utf-8',
    ]);
    const problem = (await unknown.json()) as { type: string; traceId: string };
    expect(problem.type).toBe('urn:kernel:problem:validation-failed');
    expect(problem.traceId).toBe(unknown.headers.get('x-trace-id'));
    const anonymous = await fetch(`${admin}/endpoints`);
    expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await anonymous.json()).toMatchObject({ type: 'urn:kernel:problem:unauthorized' });
  });

  it('the live stream sends events', async () => {
    const stopped = new AbortController();
    const answer = await fetch(`${admin}/stream`, {
      headers: { authorization: `Bearer ${TOKEN}` },
      signal: stopped.signal,
    });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('x-trace-id')).toBeTruthy();
    const reader = answer.body!.getReader();
    let text = '';
    while (!text.includes('event: now')) {
      text += Buffer.from((await reader.read()).value).toString();
    }
    stopped.abort();
  });

  it('health and metrics answer as they are', async () => {
    expect(await (await fetch(`${url}/health/live`)).json()).toMatchObject({ status: 'ok' });
    const ready = await fetch(`${url}/health/ready`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { details: { database: { status: 'up' } } }]);
    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get('content-type')).toMatch('text/plain');
    expect(await metrics.text()).toMatch(/^# HELP /);
  });

  it('the console shows the admin API where it is', async () => {
    const page = await fetch(`${new URL(url).origin}/console/deliveries`);
    const html = await page.text();
    // Without built pages it says how to build them.
    expect([200, 503]).toContain(page.status);
    if (page.status === 200) {
      expect(html).toContain(`data-admin-path="${new URL(admin).pathname}"`);
    }
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it('handlers of the host see the trace of a request with a body', async () => {
    if (what === 'a global guard') return;
    const path = what === 'versions in the URI' ? '/v1/orders' : '/orders';
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-trace-id': 'order-trace-1' },
      body: JSON.stringify({ lines: 'x'.repeat(80_000) }),
    });
    const body = (await answer.json()) as { traceId?: string; data?: { traceId: string } };
    expect([platform, answer.status, (body.data ?? body).traceId]).toEqual([platform, 201, 'order-trace-1']);
  });
});
