import { randomUUID } from 'node:crypto';
import { Clock } from '@kernel/runtime';
import { EventBusAdminModule } from '../src/eventbus-admin.module.js';
import { EventBusHealthModule, EventBusMetricsModule } from '@kernel/eventbus-ops';
import {
  type ArgumentMetadata,
  type INestApplication,
  type NestApplicationOptions,
  type PipeTransform,
  ValidationPipe,
} from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { createZodValidationPipe, ZodValidationPipe } from 'nestjs-zod';
import request from 'supertest';
import { OneTimeCode } from '../src/session/one-time-code.js';
import { PartitionKeeper } from '@kernel/eventbus/engine';
import { daysAgo, insertPastEvent, SetClock } from '@kernel/test-support/past';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';

const OLD_DAYS = 60;

/** A pipe that knows only the host's own DTOs and empties all other values. */
class EmptyingPipe implements PipeTransform {
  transform(value: unknown): unknown {
    return typeof value === 'object' && value !== null ? {} : undefined;
  }
}

/** A pipe that refuses every value that is not one of the host's own DTOs. */
class RefusingPipe implements PipeTransform {
  transform(_value: unknown, { type, metatype }: ArgumentMetadata): never {
    throw new Error(`the host knows no ${type} ${metatype?.name}`);
  }
}

/** Runs after all guards and before all pipes. */
const emptyRequests = {
  intercept(context: { switchToHttp(): { getRequest(): Request } }, next: { handle(): never }): never {
    const call = context.switchToHttp().getRequest();
    for (const name of Object.keys((call.body ?? {}) as object)) {
      delete (call.body as Record<string, unknown>)[name];
    }
    call.body = {};
    call.params = {};
    Object.defineProperty(call, 'query', { value: {} });
    return next.handle();
  },
};

function giveEmptyBody(call: Request, _: unknown, next: () => void): void {
  call.body = {};
  next();
}

const pipe = (of: PipeTransform) => (app: INestApplication) => app.useGlobalPipes(of);

const HOSTS: [string, (app: INestApplication) => unknown, NestApplicationOptions?][] = [
  ['a ValidationPipe that strips unknown fields', pipe(new ValidationPipe({ whitelist: true }))],
  [
    'a ValidationPipe that refuses unknown fields and converts the rest',
    pipe(
      new ValidationPipe({
        whitelist: true,
        forbidNonWhitelisted: true,
        forbidUnknownValues: true,
        transform: true,
        transformOptions: { enableImplicitConversion: true },
        validateCustomDecorators: true,
      }),
    ),
  ],
  ['a ZodValidationPipe', pipe(new ZodValidationPipe())],
  ['a strict ZodValidationPipe', pipe(new (createZodValidationPipe({ strictSchemaDeclaration: true }))())],
  ['a pipe that empties objects', pipe(new EmptyingPipe())],
  ['a pipe that refuses unknown types', pipe(new RefusingPipe())],
  ['an interceptor that empties requests', (app) => app.useGlobalInterceptors(emptyRequests)],
  ['no body parser', () => undefined, { bodyParser: false }],
  ['no body parser and an empty object for a body', (app) => app.use(giveEmptyBody), { bodyParser: false }],
  ['no query parser', (app) => (app as NestExpressApplication).set('query parser', false)],
  ['the extended query parser', (app) => (app as NestExpressApplication).set('query parser', 'extended')],
];

describe.each(HOSTS)('in a host with %s', (_, configure, nest) => {
  let api: AdminApi;
  const tenantId = randomUUID();
  beforeAll(async () => {
    const clock = new SetClock();
    clock.time = daysAgo(OLD_DAYS);
    api = await AdminApi.start({
      imports: [EventBusAdminModule, EventBusHealthModule, EventBusMetricsModule.forRoot({})],
      adapt: (builder) => builder.overrideProvider(Clock).useValue(clock),
      configure: (app) => void configure(app),
      nest,
    });
    clock.time = new Date();
    await api.kernel.app.get(PartitionKeeper).round();
  });
  afterAll(() => api.close());

  it('a dry run of the prune removes nothing', async () => {
    await insertPastEvent(api.kernel.database, { tenantId, at: daysAgo(OLD_DAYS), status: 'PUBLISHED' });
    const partitions = async () => (await api.operator.get('/partitions').expect(200)).body.items as object[];
    const before = await partitions();
    expect(before).toContainEqual(expect.objectContaining({ state: 'expired' }));
    const { body } = await api.operator.post('/prune', { dryRun: true }).expect(200);
    expect(body).toMatchObject({ dryRun: true });
    expect(await partitions()).toEqual(before);
  });

  it('filters, limits and ids are those of the request', async () => {
    const [one, other] = [await api.createEndpoint(tenantId), await api.createEndpoint(randomUUID())];
    const listed = await api.operator.get('/endpoints', { tenantId }).expect(200);
    expect(listed.body.items).toMatchObject([{ endpointId: one.endpointId, tenantId }]);
    const limited = await api.operator.get('/endpoints', { limit: 1 }).expect(200);
    expect(limited.body.items).toMatchObject([{ endpointId: other.endpointId }]);
    const shown = await api.operator.get(`/endpoints/${one.endpointId}`).expect(200);
    expect(shown.body).toMatchObject({ endpointId: one.endpointId });
    const renamed = await api.operator.patch(`/endpoints/${one.endpointId}`, { name: 'billing' }).expect(200);
    expect(renamed.body).toMatchObject({ endpointId: one.endpointId, name: 'billing', subscribedTypes: [TYPE] });
  });

  it('a body with an unknown field, a wrong filter and a malformed id are refused in our words', async () => {
    const before = await api.countRows();
    const endpoint = { tenantId, url: 'http://127.0.0.1:9/hook', subscribedTypes: [TYPE], colour: 'red' };
    const refusal = (path: string, message: string) => ({
      type: 'urn:kernel:problem:validation-failed',
      title: 'Bad Request',
      status: 400,
      detail: `${path}: ${message}`,
      errors: [{ path, message }],
      traceId: expect.any(String),
    });
    const refused = (call: request.Test) => call.expect(400).expect('content-type', /application\/problem\+json/);
    const created = await refused(api.operator.post('/endpoints', endpoint));
    expect(created.body).toEqual(refusal('colour', 'unknown field'));
    const listed = await refused(api.operator.get('/audit', { since: 'yesterday' }));
    expect(listed.body).toEqual(refusal('since', 'Invalid ISO datetime'));
    const shown = await refused(api.operator.get('/endpoints/42'));
    expect(shown.body).toEqual(refusal('id', 'Invalid GUID'));
    const queried = await refused(api.operator.post('/prune?dryRun=true'));
    expect(queried.body).toEqual(refusal('dryRun', 'unknown query parameter: this route takes none'));
    const deleted = await refused(api.operator.delete(`/endpoints/${randomUUID()}`).send({ dryRun: true }));
    expect(deleted.body).toEqual(refusal('dryRun', 'unknown field: this route takes no body'));
    expect(await api.countRows()).toEqual(before);
  });

  it("a tenant's admin is held to the tenant", async () => {
    await api.createEndpoint(randomUUID());
    const own = await api.tenantAdmin();
    const { endpointId } = await api.createEndpoint(own.tenantId);
    const { body } = await own.client.get('/endpoints').expect(200);
    expect(body.items).toMatchObject([{ endpointId }]);
    await own.client.get('/endpoints', { tenantId }).expect(403);
  });

  it('session, health and metrics answer', async () => {
    const { body } = await api.operator.get('/session').expect(200);
    expect(body).toMatchObject({ role: 'operator', tenantId: null });
    const code = api.kernel.app.get(OneTimeCode).issue();
    const { body: session } = await api.as().post('/session', { code }).expect(201);
    await api
      .as(session.token as string)
      .get('/session')
      .expect(200);
    await request(api.url).get('/health/live').expect(200);
    await request(api.url).get('/health/ready').expect(200);
    await request(api.url)
      .get('/metrics')
      .expect(200)
      .expect(/eventbus/);
  });
});
