import {
  headersForBroker,
  type Destination,
  type HandedDelivery,
  type Handoff,
  type HandoffResult,
  type DispatchedRequest,
  type OutgoingResult,
  type WebhookDispatcher,
} from '@kernel/eventbus';
import type { PubAck } from '@nats-io/jetstream';
import { headers as natsHeaders, type MsgHdrs } from '@nats-io/transport-node';
import { Injectable } from '@nestjs/common';
import { NatsLink } from '../connection/nats-link.js';
import { NatsConfigurationError } from '../nats.errors.js';
import { NatsConfig } from '../nats.options.js';
import { describeRefusal } from '../streams/publish-refusal.js';
import { eventSubject } from './event-subject.js';
import type { NatsSinkConfig } from './sink.options.js';

const SCHEME = 'nats:';
const STORED = 200;

/**
 * Publishes events to a JetStream stream: the webhook's body as data, its headers as headers, and the event id, by
 * which the broker drops repeats. Delivered means that the stream has confirmed the event.
 */
@Injectable()
export class NatsSinkDispatcher implements WebhookDispatcher {
  readonly schemes = [SCHEME];
  readonly #sink: NatsSinkConfig | undefined;

  constructor(
    private readonly link: NatsLink,
    { sink }: NatsConfig,
  ) {
    this.#sink = sink;
  }

  get name(): string {
    return this.sink.dispatcher;
  }

  /** Tenants create endpoints, so an endpoint names the configured prefix and never its own subject. */
  checkDestination({ url }: Destination): string | undefined {
    const known = `${SCHEME}${this.sink.prefix}`;
    return url === known ? undefined : `the only destination of the dispatcher '${this.name}' is ${known}`;
  }

  async dispatch(handoff: Handoff): Promise<HandoffResult> {
    await handoff.invoke((request) => this.publish(handoff.delivery, request));
    return { status: 'accepted' };
  }

  private get sink(): NatsSinkConfig {
    if (!this.#sink) {
      throw new NatsConfigurationError('the sink dispatcher has no options: give NatsModule a `sink`');
    }
    return this.#sink;
  }

  private async publish(delivery: HandedDelivery, request: DispatchedRequest): Promise<OutgoingResult> {
    const { prefix, stream } = this.sink;
    const subject = eventSubject(prefix, { ...delivery, streamKey: request.streamKey });
    const startedAt = performance.now();
    const latencyMs = () => Math.round(performance.now() - startedAt);
    try {
      const ack = await this.link.publish(subject, request.body.toString(), {
        msgID: delivery.eventId,
        headers: toHeaders(request.headers),
        timeout: request.timeoutMs,
        expect: { streamName: stream },
      });
      if (ack.duplicate && isFirstHandoff(delivery)) {
        const message = `another endpoint has published this event to the stream ${stream}: have one for each type`;
        return { kind: 'failure', errorClass: 'refused', message, latencyMs: latencyMs() };
      }
      return { kind: 'response', statusCode: STORED, headers: {}, bodyExcerpt: describe(ack), latencyMs: latencyMs() };
    } catch (error) {
      const { kind, message } = describeRefusal(error, stream);
      const errorClass = kind === 'too-large' ? 'refused' : 'unavailable';
      return { kind: 'failure', errorClass, message, latencyMs: latencyMs() };
    }
  }
}

/**
 * True if no process has sent the delivery before: then a message under its id is not the one this endpoint would
 * publish.
 */
function isFirstHandoff({ attempt, replayCount, leaseEpoch }: HandedDelivery): boolean {
  return attempt === 1 && replayCount === 0 && leaseEpoch <= 1;
}

function toHeaders(headers: Record<string, string>): MsgHdrs {
  const message = natsHeaders();
  Object.entries(headersForBroker(headers)).forEach(([name, value]) => message.set(name, value));
  return message;
}

function describe({ stream, seq, duplicate }: PubAck): string {
  return `${stream} ${seq}${duplicate ? ' (a repeat, dropped by the broker)' : ''}`;
}
