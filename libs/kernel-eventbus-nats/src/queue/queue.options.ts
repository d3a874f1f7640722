import { z } from 'zod';
import type { ConsumerDemand } from '../streams/ensure-consumer.js';
import type { StreamDemand } from '../streams/stream-demand.js';
import {
  brokerName,
  positive,
  streamFields,
  subjectPrefix,
  type StreamOptions,
  type StreamsConfig,
} from '../streams/streams.options.js';

/** The same for engines and workers. */
export interface NatsQueueOptions {
  /** Base64 of 32 bytes: encrypts jobs and outcomes, including payloads and headers with credentials. */
  key: string;
  /** The previous key, until every process has the new one. Default: none. */
  previousKey?: string;
  /** Name by which endpoints choose it. Default: `nats-queue`. */
  dispatcher?: string;
  /** Prefix of the subjects; one per installation that shares a broker's account. Default: `kernel.deliveries`. */
  prefix?: string;
  /**
   * The work queue, by default `KERNEL_DELIVERIES`. A job not taken within `maxAgeMs` (60000) is dropped and enqueued
   * again with a new signature: receivers accept a timestamp for five minutes, so the maximum is 240000.
   */
  jobs?: StreamOptions;
  /** Outcomes of the jobs, by default `KERNEL_OUTCOMES`. Kept for `maxAgeMs` (600000), at least as long as a job. */
  outcomes?: StreamOptions;
  /** The consumer that workers pull from. Default: `delivery-workers`. */
  consumer?: string;
  /** A worker that is silent for this long loses its job to another. Default: 15000. */
  ackWaitMs?: number;
  /** Maximum jobs in flight over all workers. Default: 10000. */
  maxAckPending?: number;
}

const key = z
  .string()
  .refine(
    (text) => Buffer.from(text, 'base64').length === 32,
    'must be the base64 of 32 bytes (openssl rand -base64 32)',
  );

/** Signatures are valid for five minutes; a job is not sent with one that is about to expire. */
const MAX_AGE_MS = 240_000;

export const QueueSchema = z
  .strictObject({
    key,
    previousKey: key.optional(),
    dispatcher: z.string().min(1).default('nats-queue'),
    prefix: subjectPrefix.default('kernel.deliveries'),
    jobs: z
      .strictObject({
        ...streamFields('KERNEL_DELIVERIES', 60_000),
        maxAgeMs: positive.max(MAX_AGE_MS).default(60_000),
      })
      .prefault({}),
    outcomes: z.strictObject(streamFields('KERNEL_OUTCOMES', 600_000)).prefault({}),
    consumer: brokerName.default('delivery-workers'),
    ackWaitMs: positive.min(500).default(15_000),
    maxAckPending: positive.default(10_000),
  })
  // A repeated job is dropped while the job lives; its outcome has to be stored that long.
  .refine(({ jobs, outcomes }) => outcomes.maxAgeMs >= jobs.maxAgeMs, {
    path: ['outcomes', 'maxAgeMs'],
    message: 'must be at least jobs.maxAgeMs',
  });

export type NatsQueueConfig = z.output<typeof QueueSchema>;

export interface QueueDemands {
  jobs: StreamDemand;
  outcomes: StreamDemand;
  consumer: ConsumerDemand;
}

export function demandsOf(queue: NatsQueueConfig, { replicas, storage }: StreamsConfig): QueueDemands {
  const { jobs, outcomes, prefix, consumer, ackWaitMs, maxAckPending } = queue;
  const everywhere = { replicas, storage };
  return {
    jobs: {
      ...everywhere,
      ...limitsOf(jobs),
      subjects: [`${prefix}.jobs.*`],
      retention: 'workqueue',
      duplicateWindowMs: jobs.maxAgeMs,
      discard: 'new',
      allowsDirectReads: false,
    },
    outcomes: {
      ...everywhere,
      ...limitsOf(outcomes),
      subjects: [`${prefix}.outcomes.*`],
      retention: 'limits',
      duplicateWindowMs: jobs.maxAgeMs,
      discard: 'old',
      allowsDirectReads: true,
    },
    consumer: { stream: jobs.stream, name: consumer, ackWaitMs, maxAckPending },
  };
}

function limitsOf({ stream, maxAgeMs, maxMessages, maxBytes }: NatsQueueConfig['jobs']) {
  return { name: stream, maxAgeMs, maxMessages, maxBytes };
}
