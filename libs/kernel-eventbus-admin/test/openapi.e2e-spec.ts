import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { cleanupOpenApiDoc } from 'nestjs-zod';
import { ADMIN, AdminApi } from '@kernel/test-support/admin-api';

const PROBLEM = { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDocument' } } };

describe('the OpenAPI document', () => {
  let api: AdminApi;
  let document: OpenAPIObject;
  beforeAll(async () => {
    api = await AdminApi.start();
    const builder = new DocumentBuilder().addBearerAuth().build();
    document = cleanupOpenApiDoc(SwaggerModule.createDocument(api.kernel.app, builder));
  });
  afterAll(() => api.close());

  it('has every route of the admin API, each with a bearer token', () => {
    const routes = Object.entries(document.paths)
      .filter(([path]) => path.startsWith(ADMIN))
      .flatMap(([path, item]) =>
        Object.entries(item as Record<string, { summary?: string }>).map(([verb, route]) => ({ path, verb, route })),
      );
    expect(routes.map(({ path, verb }) => `${verb} ${path.slice(ADMIN.length)}`).toSorted()).toEqual([
      'delete /endpoints/{id}',
      'delete /secrets/{alias}/versions/{version}',
      'delete /tokens/{id}',
      'get /audit',
      'get /audit/export',
      'get /deliveries',
      'get /deliveries/groups',
      'get /deliveries/{id}',
      'get /deliveries/{id}/body',
      'get /endpoints',
      'get /endpoints/health',
      'get /endpoints/{id}',
      'get /endpoints/{id}/public-key',
      'get /events',
      'get /events/{id}',
      'get /lanes',
      'get /operations',
      'get /operations/{id}',
      'get /partitions',
      'get /policies',
      'get /session',
      'get /stats',
      'get /stream',
      'get /tenants',
      'get /tokens',
      'patch /endpoints/{id}',
      'post /audit/verify',
      'post /deliveries/replay',
      'post /deliveries/{id}/replay',
      'post /endpoints',
      'post /endpoints/dry-run',
      'post /endpoints/{id}/dry-run',
      'post /endpoints/{id}/recover',
      'post /endpoints/{id}/replay-missing',
      'post /endpoints/{id}/rotate-secret',
      'post /endpoints/{id}/test',
      'post /events/{id}/preview',
      'post /lanes/{id}/skip',
      'post /operations/{id}/cancel',
      'post /policies/{eventType}/preview',
      'post /prune',
      'post /secrets',
      'post /session',
      'post /tokens',
      'put /policies/{eventType}',
    ]);
    for (const { path, verb, route } of routes) {
      const isSignIn = verb === 'post' && path === `${ADMIN}/session`;
      expect(route).toMatchObject({ responses: { default: { content: PROBLEM } } });
      expect((route as { security?: object }).security).toEqual(isSignIn ? undefined : [{ bearer: [] }]);
      expect(route.summary).toMatch(/^[A-Z].{5,60}$/);
    }
  });

  it('describes bodies, queries and answers', () => {
    const create = document.paths[`${ADMIN}/endpoints`]!.post!;
    expect(create.requestBody).toMatchObject({
      content: { 'application/json': { schema: { $ref: expect.stringContaining('NewEndpoint') } } },
    });
    expect(create.responses['201']).toMatchObject({
      content: { 'application/json': { schema: { $ref: expect.stringContaining('EndpointWithSecret') } } },
    });
    const { NewEndpoint } = document.components!.schemas as Record<string, { properties: object; required: string[] }>;
    expect(Object.keys(NewEndpoint!.properties).toSorted()).toEqual([
      'dispatcher',
      'headers',
      'isEnabled',
      'isExternal',
      'maxInFlight',
      'name',
      'onDeadLetter',
      'ordering',
      'retry',
      'signature',
      'signingSecretAlias',
      'subscribedTypes',
      'subscriptions',
      'tenantId',
      'timeoutMs',
      'url',
    ]);
    expect(NewEndpoint!.required.toSorted()).toEqual(['subscribedTypes', 'tenantId', 'url']);
    const list = document.paths[`${ADMIN}/deliveries`]!.get!;
    const parameters = (list.parameters as { name: string; in: string; required?: boolean }[]).map(
      ({ name, in: where, required }) => `${where} ${name}${required ? ' (required)' : ''}`,
    );
    expect(parameters.toSorted()).toEqual(
      [
        'cursor',
        'endpointId',
        'errorClass',
        'eventId',
        'limit',
        'since',
        'status',
        'streamKey',
        'tenantId',
        'traceId',
        'type',
        'until',
      ].map((name) => `query ${name}`),
    );
  });

  it('describes text that may be null as that, and as nothing else', () => {
    const schemas = document.components!.schemas as Record<string, { properties?: Record<string, unknown> }>;
    for (const name of Object.keys(schemas).filter((each) => /Page/.test(each))) {
      expect(schemas[name]!.properties!.nextCursor).toEqual({ type: 'string', minLength: 0, nullable: true });
    }
    expect(schemas.DeliveryResponse_Output!.properties!.lastError).toMatchObject({ type: 'string', nullable: true });
    expect(JSON.stringify(document)).not.toMatch(/"type":\[/);
  });

  it.each(['/audit/verify', '/endpoints/{id}/rotate-secret', '/endpoints/{id}/dry-run', '/prune'])(
    'says that POST %s needs no body',
    (path) => {
      expect(document.paths[`${ADMIN}${path}`]!.post!.requestBody).toMatchObject({
        required: false,
        content: { 'application/json': { schema: { $ref: expect.any(String) } } },
      });
    },
  );

  it('[KFM-8] says that the export of the ledger is lines of JSON', () => {
    const { responses } = document.paths[`${ADMIN}/audit/export`]!.get!;
    expect(responses['200']).toMatchObject({ content: { 'application/x-ndjson': { schema: { type: 'string' } } } });
  });

  it('[FR-005] describes subscriptions, predicates and their values, wherever they are', () => {
    const schemas = document.components!.schemas as Record<string, { properties: Record<string, unknown> }>;
    const described = expect.objectContaining({ description: expect.any(String) });
    for (const name of ['NewEndpoint', 'EndpointChanges', 'EndpointResponse_Output']) {
      expect(schemas[name]!.properties.subscriptions).toMatchObject({
        description: expect.stringContaining('any one has to match'),
        example: [{ match: 'all', predicates: expect.any(Array) }],
        items: {
          properties: {
            type: described,
            match: described,
            predicates: {
              description: expect.stringContaining('a missing field'),
              items: { oneOf: Array(5).fill({ properties: { path: described, value: described } }) },
            },
          },
        },
      });
    }
  });
});
