import { z } from 'zod';

/**
 * `create`: creates missing streams; a different setup fails the start. `update`: changes a different setup as far as
 * the broker allows. `check`: creates and changes nothing, for accounts without those rights.
 */
export type StreamSetup = 'create' | 'update' | 'check';

export interface StreamsOptions {
  /** Handling of missing or different streams and consumers. Default: `create`. */
  setup?: StreamSetup;
  /** Copies in a cluster; 3 survive the loss of a server. Default: 1. */
  replicas?: number;
  /** Default: `file`. */
  storage?: 'file' | 'memory';
}

export interface StreamOptions {
  /** The stream's name on the broker. */
  stream?: string;
  /** Older messages are dropped. */
  maxAgeMs?: number;
  /** Default: no limit. */
  maxMessages?: number;
  /** Default: no limit. */
  maxBytes?: number;
}

const NO_LIMIT = -1;

export const positive = z.number().int().positive();
/** Part of a subject: no wildcard, no space, no dot at its ends. */
export const subjectPrefix = z
  .string()
  .regex(/^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/, 'must be tokens of letters, digits, _ and -, joined by dots');
/** Streams and consumers. */
export const brokerName = z.string().regex(/^[A-Za-z0-9_-]+$/, 'must consist of letters, digits, _ and -');

export const StreamsSchema = z
  .strictObject({
    setup: z.enum(['create', 'update', 'check']).default('create'),
    replicas: positive.max(5).default(1),
    storage: z.enum(['file', 'memory']).default('file'),
  })
  .prefault({});

export const streamFields = (name: string, maxAgeMs: number) => ({
  stream: brokerName.default(name),
  maxAgeMs: positive.default(maxAgeMs),
  maxMessages: positive.default(NO_LIMIT),
  maxBytes: positive.default(NO_LIMIT),
});

export type StreamsConfig = z.output<typeof StreamsSchema>;
