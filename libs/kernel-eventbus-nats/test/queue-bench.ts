import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { startKernelApp, type KernelApp, type KernelAppOptions } from '@kernel/test-support/kernel-app';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { NatsServer } from '@kernel/test-support/nats-server';
import {
  NatsDeliveryWorker,
  NatsModule,
  NatsQueueDispatcher,
  type NatsDeliveryWorkerOptions,
  type NatsQueueOptions,
} from '../src/index.js';

export const QUEUE_KEY = Buffer.alloc(32, 7).toString('base64');
export const TYPE = 'order.placed.v1';

export interface DeliveryRow {
  status: string;
  attempts: number;
  errorClass: string | null;
  lastError: string | null;
  lastStatusCode: number | null;
  leaseEpoch: number;
}

/** A broker, an engine that sends all deliveries through the queue, and a receiver. */
export class QueueBench {
  readonly tenantId = randomUUID();
  kernel!: KernelApp;
  /** Signing secret of the receiver. */
  secret!: string;
  readonly #workers: NatsDeliveryWorker[] = [];

  private constructor(
    readonly server: NatsServer,
    readonly nc: NatsConnection,
    readonly jsm: JetStreamManager,
    readonly database: TestDatabase,
    readonly receiver: WebhookReceiver,
    readonly queue: NatsQueueOptions,
    private readonly settings: KernelAppOptions,
  ) {}

  static async start(options: Partial<NatsQueueOptions> = {}, settings: KernelAppOptions = {}): Promise<QueueBench> {
    const server = await NatsServer.start();
    const nc = await connect({ servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
    const queue = { key: QUEUE_KEY, ackWaitMs: 1_000, ...options };
    const [database, receiver] = [await createTestDatabase(), await WebhookReceiver.start()];
    const bench = new QueueBench(server, nc, await jetstreamManager(nc), database, receiver, queue, settings);
    bench.kernel = await bench.startEngine();
    const { tenantId, kernel } = bench;
    ({ secret: bench.secret } = await kernel.addEndpoint({ tenantId, url: receiver.url, types: [TYPE] }));
    return bench;
  }

  startEngine(settings: KernelAppOptions = this.settings): Promise<KernelApp> {
    return startKernelApp({
      database: this.database,
      imports: [NatsModule.forRoot({ connection: { servers: this.server.url }, queue: this.queue })],
      dispatchers: [NatsQueueDispatcher],
      defaultDispatcher: 'nats-queue',
      ...settings,
    });
  }

  async startWorker(options: Partial<NatsDeliveryWorkerOptions> = {}): Promise<NatsDeliveryWorker> {
    const worker = new NatsDeliveryWorker({
      connection: { servers: this.server.url },
      queue: this.queue,
      outgoing: { allowHttp: true, allowedCidrs: ['127.0.0.0/8'] },
      ...options,
    });
    await worker.start();
    this.#workers.push(worker);
    return worker;
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop()));
  }

  publish(payload: Record<string, unknown> = {}, streamKey = 'order:1', type = TYPE): Promise<{ eventId: string }> {
    const event = { type, tenantId: this.tenantId, streamKey, traceId: 'nats-queue-1', payload };
    return this.kernel.em.fork().transactional((em) => this.kernel.outbox.publish(event, { em }));
  }

  async delivery(eventId: string): Promise<DeliveryRow> {
    const [row] = await this.database.query<{ [K in keyof DeliveryRow]: DeliveryRow[K] }>(
      `select status, attempts, error_class as "errorClass", last_error as "lastError",
         last_status_code as "lastStatusCode", lease_epoch as "leaseEpoch"
       from kernel_webhook_delivery where event_id = $1`,
      [eventId],
    );
    return row!;
  }

  settled(eventId: string, status: string): Promise<DeliveryRow> {
    return waitFor(async () => {
      const row = await this.delivery(eventId);
      return row?.status === status ? row : undefined;
    }, `the delivery of ${eventId} to be ${status}`);
  }

  /** Jobs that no worker has finished. */
  async waitingJobs(): Promise<number> {
    return (await this.jsm.streams.info('KERNEL_DELIVERIES')).state.messages;
  }

  async close(): Promise<void> {
    await this.stopWorkers();
    await this.kernel.close();
    await this.database.drop();
    await this.receiver.stop();
    await this.nc.close();
    await this.server.stop();
  }
}
