import { z } from 'zod';
import type { StreamDemand } from '../streams/stream-demand.js';
import {
  positive,
  streamFields,
  subjectPrefix,
  type StreamOptions,
  type StreamsConfig,
} from '../streams/streams.options.js';

const WEEK_MS = 7 * 24 * 3_600_000;

/**
 * The stream is `KERNEL_EVENTS` by default, and keeps events for a week. A full stream refuses new events and drops
 * none.
 */
export interface NatsSinkOptions extends StreamOptions {
  /** Name by which endpoints choose it. Default: `nats`. */
  dispatcher?: string;
  /** Prefix of the subjects; endpoints name it: `nats:kernel.events`. Default: `kernel.events`. */
  prefix?: string;
  /** Time for which the broker drops a repeated event. Default: 120000 (2 min). */
  duplicateWindowMs?: number;
}

export const SinkSchema = z
  .strictObject({
    ...streamFields('KERNEL_EVENTS', WEEK_MS),
    dispatcher: z.string().min(1).default('nats'),
    prefix: subjectPrefix.default('kernel.events'),
    duplicateWindowMs: positive.min(100).default(120_000),
  })
  .refine(({ duplicateWindowMs, maxAgeMs }) => duplicateWindowMs <= maxAgeMs, {
    path: ['duplicateWindowMs'],
    message: 'must not exceed maxAgeMs',
  });

export type NatsSinkConfig = z.output<typeof SinkSchema>;

export function demandOf(sink: NatsSinkConfig, { replicas, storage }: StreamsConfig): StreamDemand {
  const { stream, prefix, maxAgeMs, maxMessages, maxBytes, duplicateWindowMs } = sink;
  return {
    ...{ name: stream, subjects: [`${prefix}.>`], retention: 'limits', storage, replicas },
    ...{ maxAgeMs, maxMessages, maxBytes, duplicateWindowMs },
    discard: 'new',
    allowsDirectReads: true,
  };
}
