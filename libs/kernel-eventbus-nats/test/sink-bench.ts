import { randomUUID } from 'node:crypto';
import { EventBusAdminModule } from '@kernel/eventbus-admin';
import { waitFor } from '@kernel/eventbus/testing';
import { DeliverPolicy, jetstream, jetstreamManager, type JetStreamManager, type JsMsg } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { AdminApi } from '@kernel/test-support/admin-api';
import { NatsServer } from '@kernel/test-support/nats-server';
import { NatsModule, NatsSinkDispatcher } from '../src/index.js';

export const EVENTS = 'KERNEL_EVENTS';
export const DESTINATION = { url: 'nats:kernel.events', dispatcher: 'nats' };

/**
 * A broker that accepts messages up to 64 KiB, an engine with the admin API, and endpoints that publish to the stream.
 */
export class SinkBench {
  private constructor(
    readonly server: NatsServer,
    readonly nc: NatsConnection,
    readonly jsm: JetStreamManager,
    readonly api: AdminApi,
  ) {}

  static async start(): Promise<SinkBench> {
    const server = await NatsServer.start('max_payload: 65536');
    const nc = await connect({ servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
    const api = await AdminApi.start({
      role: 'all',
      imports: [EventBusAdminModule, NatsModule.forRoot({ connection: { servers: server.url }, sink: {} })],
      dispatchers: [NatsSinkDispatcher],
      retry: { maxAttempts: 100, initialDelayMs: 20, maxDelayMs: 200 },
      circuit: { probeMs: 100, maxProbeMs: 500 },
    });
    return new SinkBench(server, nc, await jetstreamManager(nc), api);
  }

  /** A tenant with an endpoint. */
  async tenant(
    settings: Record<string, unknown> = {},
  ): Promise<{ tenantId: string; endpointId: string; secret: string }> {
    const tenantId = randomUUID();
    const created = await this.api.createEndpoint(tenantId, { ...DESTINATION, ...settings });
    return { tenantId, endpointId: created.endpointId!, secret: created.secret! };
  }

  /** The messages of a tenant, in stream order. */
  async messages(tenantId: string): Promise<JsMsg[]> {
    const filter = `kernel.events.${tenantId}.>`;
    const { subjects } = (await this.jsm.streams.info(EVENTS, { subjects_filter: filter })).state;
    const count = Object.values(subjects ?? {}).reduce((sum, each) => sum + each, 0);
    if (count === 0) {
      return [];
    }
    const options = { filter_subjects: filter, deliver_policy: DeliverPolicy.All };
    const consumer = await jetstream(this.nc).consumers.get(EVENTS, options);
    const messages: JsMsg[] = [];
    for await (const message of await consumer.fetch({ max_messages: count, expires: 5_000 })) {
      messages.push(message);
    }
    return messages;
  }

  delivered(endpointId: string, count: number): Promise<unknown> {
    return this.settled(endpointId, 'DELIVERED', count);
  }

  settled(endpointId: string, status: string, count = 1): Promise<unknown> {
    return waitFor(async () => {
      const [row] = await this.api.kernel.database.query<{ count: number }>(
        `select count(*)::int as count from kernel_webhook_delivery where endpoint_id = $1 and status = $2`,
        [endpointId, status],
      );
      return row!.count === count;
    }, `${count} deliveries to be ${status}`);
  }

  async close(): Promise<void> {
    await this.api.close();
    await this.nc.close();
    await this.server.stop();
  }
}
