import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SECRET, signedMessage } from '@kernel/test-support/signed-message';
import { createEmptyDatabase, type EmptyDatabase } from '../migrations/empty-database.js';
import { OrdersModule } from './order-inbox.js';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFile(join(ROOT, path), 'utf8');

describe('the examples of docs/inbox.md', () => {
  let database: EmptyDatabase;
  let app: NestExpressApplication;
  beforeAll(async () => {
    database = await createEmptyDatabase();
    await database.query('create table stock (article text primary key, pieces int not null)');
    await database.query(`insert into stock values ('lamp', 10)`);
    const settings = { databaseUrl: database.url, secret: SECRET };
    app = await NestFactory.create<NestExpressApplication>(OrdersModule.with(settings), {
      rawBody: true,
      logger: ['error'],
    });
    app.useBodyParser('json', { limit: '1mb' });
    await app.get(MikroORM).migrator.up();
    await app.listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  it('[ADR-11] take an order once that is sent twice, also one of half a megabyte', async () => {
    const note = 'x'.repeat(500_000);
    const { headers, body } = signedMessage({ event: { payload: { article: 'lamp', note } } });
    const send = async () =>
      fetch(`${await app.getUrl()}/webhooks`, { method: 'POST', headers, body: new Uint8Array(body) });
    expect([(await send()).status, (await send()).status]).toEqual([204, 204]);
    expect(await database.query('select pieces from stock')).toEqual([{ pieces: 9 }]);
  });

  it.each([
    ['By webhook', 'test/extending/order-inbox.ts'],
    ['By JetStream', 'apps/tenants/src/projection/governance-keeper.ts'],
  ])('are code that is run: %s', async (section, file) => {
    const text = (await read('docs/inbox.md')).split(`## ${section}\n`)[1]!;
    const example = /```ts\n([^`]*)```/.exec(text)![1]!.trim().split('\n');
    const code = await read(file);
    expect(example.length).toBeGreaterThan(8);
    for (const line of example) {
      expect(code).toContain(line.trim());
    }
  });
});
