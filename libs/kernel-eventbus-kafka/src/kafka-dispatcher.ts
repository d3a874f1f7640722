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
import { Injectable } from '@nestjs/common';
import { classifyKafkaError } from './classify-kafka-error.js';
import { KafkaProducers } from './kafka-producers.js';
import { KafkaSinkConfig } from './kafka-sink.options.js';
import { topicOf } from './topic-template.js';

export const KAFKA_DISPATCHER = 'kafka';
const SCHEME = 'kafka:';
const ACKNOWLEDGED = 200;

/** Writes the content of a webhook to a topic, keyed by tenant and stream, and waits for all in-sync replicas. */
@Injectable()
export class KafkaDispatcher implements WebhookDispatcher {
  readonly name = KAFKA_DISPATCHER;
  readonly schemes = [SCHEME];

  constructor(
    private readonly config: KafkaSinkConfig,
    private readonly producers: KafkaProducers,
  ) {}

  checkDestination({ url }: Destination): string | undefined {
    const { topics } = this.config;
    return topics.includes(templateOf(url))
      ? undefined
      : `write the url as one of ${topics.map((topic) => `${SCHEME}${topic}`).join(', ')}`;
  }

  async dispatch(handoff: Handoff): Promise<HandoffResult> {
    await handoff.invoke(async (request) => {
      const startedAt = performance.now();
      const result = await this.write(handoff.delivery, request);
      return { ...result, latencyMs: Math.round(performance.now() - startedAt) };
    });
    return { status: 'accepted' };
  }

  private async write(delivery: HandedDelivery, request: DispatchedRequest): Promise<OutgoingResult> {
    const topic = topicOf(templateOf(request.url), delivery);
    if (topic === undefined) {
      return failure('refused', 'the type of the event holds characters that no topic may have');
    }
    const deadline = AbortSignal.timeout(request.timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
    const message = {
      topic,
      // Without a stream key a tenant's events share a partition, which keeps every order.
      key: Buffer.from(`${delivery.tenantId}:${request.streamKey ?? ''}`),
      value: Buffer.from(request.body),
      headers: toHeaders(request.headers),
    };
    try {
      const written = await untilAborted(this.producers.produce(message, signal), signal);
      const bodyExcerpt = JSON.stringify(written ?? { topic });
      return { kind: 'response', statusCode: ACKNOWLEDGED, headers: {}, bodyExcerpt, latencyMs: 0 };
    } catch (error) {
      if (signal.aborted) {
        return deadline.aborted
          ? failure('timeout', 'no acknowledgement before the deadline')
          : failure('connection', 'the request was cancelled by the caller');
      }
      const { errorClass, message: words } = classifyKafkaError(error);
      return failure(errorClass, words);
    }
  }
}

function templateOf(url: string): string {
  return url.slice(SCHEME.length);
}

function toHeaders(headers: Record<string, string>): Map<Buffer, Buffer> {
  const kept = Object.entries(headersForBroker(headers));
  return new Map(kept.map(([name, value]) => [Buffer.from(name), Buffer.from(value)]));
}

type FailureClass = ReturnType<typeof classifyKafkaError>['errorClass'];

function failure(errorClass: FailureClass, message: string): OutgoingResult {
  return { kind: 'failure', errorClass, message, latencyMs: 0 };
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
