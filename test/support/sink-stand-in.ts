import { eventSubject } from '@kernel/eventbus-nats';
import { jetstream, jetstreamManager, type JetStreamClient } from '@nats-io/jetstream';
import { connect, headers as natsHeaders, type NatsConnection } from '@nats-io/transport-node';
import { signedMessage, type MessageChanges } from './signed-message.js';

/** Publishes like the NATS sink: body and headers of the webhook, subject of tenant, stream and type. */
export class SinkStandIn {
  private constructor(
    readonly connection: NatsConnection,
    private readonly client: JetStreamClient,
  ) {}

  static async connect(servers: string): Promise<SinkStandIn> {
    const connection = await connect({ servers, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
    return new SinkStandIn(connection, jetstream(connection));
  }

  /** With a deduplication window too short for repeats, which are left to the inbox. */
  async makeStream(): Promise<void> {
    const manager = await jetstreamManager(this.connection);
    await manager.streams.add({ name: 'KERNEL_EVENTS', subjects: ['kernel.events.>'], duplicate_window: 100_000_000 });
  }

  async publish(changes: MessageChanges & { isRepeat?: boolean } = {}): Promise<ReturnType<typeof signedMessage>> {
    const message = signedMessage(changes);
    const { event, headers, body } = message;
    const carried = natsHeaders();
    for (const [name, value] of Object.entries(headers)) {
      carried.append(name, value);
    }
    carried.append('Nats-Msg-Id', changes.isRepeat ? `${event.eventId}-again-${Math.random()}` : event.eventId);
    const subject = eventSubject('kernel.events', event);
    await this.client.publish(subject, body, { headers: carried });
    return message;
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}
