import { waitFor } from '@kernel/eventbus/testing';
import { Inbox, InboxModule, ReceivesWebhooks, VerifiedEvent, type InboxEvent } from '@kernel/inbox';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import type { ServerResponse } from 'node:http';
import { type ArgumentsHost, Catch, Controller, type ExceptionFilter, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createConsumerDatabase, type ConsumerDatabase } from '@kernel/test-support/consumer-database';
import { insertEffect, SECRET, signedMessage, type MessageChanges } from '@kernel/test-support/signed-message';

@Controller()
class OrdersController {
  constructor(private readonly inbox: Inbox) {}

  @Post('webhooks')
  @ReceivesWebhooks()
  async receive(@VerifiedEvent() event: InboxEvent): Promise<void> {
    await this.inbox.process(event, insertEffect);
  }

  @Post('unguarded')
  unguarded(@VerifiedEvent() event: InboxEvent): string {
    return event.eventId;
  }
}

describe('a webhook controller', () => {
  let database: ConsumerDatabase;
  let app: NestExpressApplication;
  let forgetful: NestExpressApplication;
  beforeAll(async () => {
    database = await createConsumerDatabase();
    await database.query(
      `insert into processed_event (inbox, event_id, tenant_id, stream_key, processed_at)
       values ('orders', gen_random_uuid(), gen_random_uuid(), 'order:old', now() - interval '91 days')`,
    );
    app = await startApp(database, true);
    forgetful = await startApp(database, false);
  });
  afterAll(async () => {
    await app.close();
    await forgetful.close();
    await database.drop();
  });
  beforeEach(() => database.query('delete from effect'));

  const post = async (
    to: NestExpressApplication,
    path: string,
    { headers, body }: { headers: Record<string, string>; body: Buffer },
  ) => fetch(`${await to.getUrl()}/${path}`, { method: 'POST', headers, body: new Uint8Array(body) });
  const effects = async () =>
    (await database.query<{ event_id: string }>('select event_id from effect')).map((r) => r.event_id);

  it('[ADR-11] answers 204 to an event and to each of its repeats, and has one effect', async () => {
    const message = signedMessage();
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(app, 'webhooks', message)));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(204));
    expect(await effects()).toEqual([message.event.eventId]);
  });

  it.each<[number, string, MessageChanges]>([
    [401, 'signature-invalid', { headers: { 'webhook-signature': 'v1,AAAA' } }],
    [401, 'signature-invalid', { signedAt: new Date(0) }],
    [400, 'not-an-event', { body: '{"hello":"world"}' }],
    [415, 'unsupported-body', { headers: { 'content-type': 'text/plain' } }],
  ])('answers %s %s, and nothing happens', async (status, code, changes) => {
    const answer = await post(app, 'webhooks', signedMessage(changes));
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Webhook-Signature' : null);
    expect(await answer.json()).toEqual({
      ...{ type: `urn:kernel:problem:${code}`, title: expect.any(String), status },
      ...{ detail: expect.any(String), traceId: expect.any(String) },
    });
    expect(await effects()).toEqual([]);
  });

  it('answers problems in a host whose filter answers everything else', async () => {
    const filtered = await startApp(database, true, (host) => host.useGlobalFilters(new TextFilter()));
    try {
      const refused = await post(filtered, 'webhooks', signedMessage({ headers: { 'webhook-signature': 'v1,AAAA' } }));
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toBe('Webhook-Signature');
      expect(await refused.json()).toMatchObject({ type: 'urn:kernel:problem:signature-invalid' });
      expect(await (await post(filtered, 'unguarded', signedMessage())).text()).toBe('the host answers');
    } finally {
      await filtered.close();
    }
  });

  it('answers 401 to an empty body, and to one that differs from the signed one in a single space', async () => {
    const { headers, body } = signedMessage();
    expect((await post(app, 'webhooks', { headers, body: Buffer.alloc(0) })).status).toBe(401);
    expect((await post(app, 'webhooks', { headers, body: Buffer.concat([body, Buffer.from(' ')]) })).status).toBe(401);
    expect(await effects()).toEqual([]);
  });

  it('verifies nothing but the bytes that came: without them it fails, and does not print the parsed body anew', async () => {
    const printedAnew = signedMessage({ body: JSON.stringify(signedMessage().event) });
    expect((await post(forgetful, 'webhooks', printedAnew)).status).toBe(500);
    expect(await effects()).toEqual([]);
  });

  it('forgets old marks by itself', async () => {
    const old = () => database.query(`select from processed_event where stream_key = 'order:old'`);
    await waitFor(async () => (await old()).length === 0, 'the mark to be forgotten');
    expect(await old()).toEqual([]);
  });

  it('hands on no event where nothing was verified', async () => {
    expect((await post(app, 'unguarded', signedMessage())).status).toBe(500);
  });
});

@Catch()
class TextFilter implements ExceptionFilter {
  catch(_error: unknown, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<ServerResponse>().writeHead(500).end('the host answers');
  }
}

async function startApp(
  { url }: ConsumerDatabase,
  rawBody: boolean,
  configure?: (app: NestExpressApplication) => unknown,
): Promise<NestExpressApplication> {
  @Module({
    imports: [
      MikroOrmModule.forRoot({
        driver: PostgreSqlDriver,
        clientUrl: url,
        entities: [],
        discovery: { warnWhenNoEntities: false },
      }),
      InboxModule.forRoot({ name: 'orders', keys: [SECRET] }),
    ],
    controllers: [OrdersController],
  })
  class OrdersModule {}
  const app = await NestFactory.create<NestExpressApplication>(OrdersModule, { rawBody, logger: false });
  configure?.(app);
  await app.listen(0, '127.0.0.1');
  return app;
}
