import { randomUUID } from 'node:crypto';
import { EventBusAdminModule } from '@kernel/eventbus-admin';
import { EventBusHealthModule } from '@kernel/eventbus-ops';
import { OutboxService } from '@kernel/eventbus';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { PolicyStore, RedactionService } from '@kernel/privacy';
import { PostgresSecretVault, SecretsProvider, SigningService } from '@kernel/secrets';
import { jest } from '@jest/globals';
import { defineEntity, p } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Module } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Webhook } from 'standardwebhooks';
import request from 'supertest';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

const TOKEN = 'operator-token-for-tests';
const TYPE = 'shipment.sent.v1';
const tenantId = randomUUID();

const Shipment = defineEntity({
  name: 'Shipment',
  tableName: 'test_shipment',
  properties: { id: p.uuid().primary(), receiver: p.text() },
});

@Injectable()
class Shipments {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
  ) {}

  /** The unit of work is not passed around: the outbox finds the running transaction. */
  send(id: string, changesItsMind = false): Promise<void> {
    return this.em.fork().transactional(async (em) => {
      em.persist(em.create(Shipment, { id, receiver: 'Ada' }));
      const payload = { id, receiver: 'Ada' };
      await this.outbox.publish({ type: TYPE, tenantId, streamKey: `shipment:${id}`, traceId: 'trace-0001', payload });
      if (changesItsMind) {
        throw new Error('changed its mind');
      }
    });
  }
}

@Module({ providers: [Shipments], exports: [Shipments] })
class ShipmentsModule {}

describe('the design card', () => {
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  let secret: string;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    kernel = await startKernelApp({
      adminToken: TOKEN,
      entities: [Shipment],
      imports: [ShipmentsModule, EventBusAdminModule, EventBusHealthModule],
    });
    await kernel.database.query('create table test_shipment (id uuid primary key, receiver text not null)');
    await kernel.app.get(PolicyStore).put({
      eventType: TYPE,
      tenantId,
      rules: [{ path: '$.id', action: 'keep' }],
      createdBy: 'test',
    });
    ({ secret } = await kernel.addEndpoint({ tenantId, url: receiver.url, types: [TYPE], isExternal: true }));
  });
  afterAll(async () => {
    await kernel.close();
    await receiver.stop();
  });

  const rowsOf = async (id: string) => ({
    shipments: (await kernel.database.query('select from test_shipment where id = $1', [id])).length,
    events: (await kernel.database.query(`select from kernel_outbox_event where stream_key = $1`, [`shipment:${id}`]))
      .length,
  });
  const deliveryOf = (id: string) =>
    waitFor(async () => {
      const [delivery] = await kernel.database.query<{ delivery_id: string }>(
        `select d.delivery_id from kernel_webhook_delivery d join kernel_outbox_event e using (event_id)
         where e.stream_key = $1 and d.status = 'DELIVERED'`,
        [`shipment:${id}`],
      );
      return delivery?.delivery_id;
    }, 'the shipment to be delivered');
  const http = () => request(kernel.app.getHttpServer());

  it("[CARD-3] the outbox joins the transaction of the host's unit of work, to commit and to roll back with it", async () => {
    const [kept, undone] = [randomUUID(), randomUUID()];
    await kernel.app.get(Shipments).send(kept);
    await expect(kernel.app.get(Shipments).send(undone, true)).rejects.toThrow('changed its mind');
    expect(await rowsOf(kept)).toEqual({ shipments: 1, events: 1 });
    expect(await rowsOf(undone)).toEqual({ shipments: 0, events: 0 });
    await deliveryOf(kept);
  });

  it('[CARD-3] the scheduled processor delivers what the redaction guard lets out, signed by a secret of the provider', async () => {
    const { app } = kernel;
    await waitFor(
      () =>
        app
          .get(SchedulerRegistry, { each: true, strict: false })
          .flatMap((jobs) => jobs.getTimeouts())
          .includes('kernel-eventbus-delivery'),
      'the schedule',
    );
    const redacts = jest.spyOn(app.get(RedactionService), 'redactJson');
    const signs = jest.spyOn(app.get(SigningService), 'sign');
    const id = randomUUID();
    const before = receiver.received.length;
    await app.get(Shipments).send(id);
    const webhook = (await receiver.receives(before + 1))[before]!;
    const verified = new Webhook(secret).verify(webhook.raw, webhook.headers as Record<string, string>);
    expect(verified).toMatchObject({ type: TYPE, payload: { id } });
    expect(webhook.raw.toString()).not.toContain('Ada');
    expect([redacts, signs].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    expect(app.get(SecretsProvider)).toBe(app.get(PostgresSecretVault));
  });

  it('[CARD-4] a domain module injects the outbox; operators replay through the admin API; Terminus tells of health', async () => {
    const id = randomUUID();
    await kernel.app.get(Shipments).send(id);
    const deliveryId = await deliveryOf(id);
    const before = receiver.received.length;
    await http()
      .post(`/admin/eventbus/deliveries/${deliveryId}/replay`)
      .set('authorization', `Bearer ${TOKEN}`)
      .send({ reason: 'the parcel was lost' })
      .expect(202);
    const again = (await receiver.receives(before + 1))[before]!;
    expect(again.body).toMatchObject({ payload: { id } });
    const { body } = await http().get('/health/ready').expect(200);
    expect(body).toMatchObject({ details: { database: { status: 'up' }, migrations: { status: 'up' } } });
    await http().get('/health/live').expect(200);
  });
});
