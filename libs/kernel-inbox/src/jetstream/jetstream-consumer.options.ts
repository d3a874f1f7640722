import type { NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { InvalidInboxOptionsError } from '../inbox.errors.js';
import type { Reception } from '../reception/inbox.js';
import type { InboxEvent } from '../verification/inbox-event.js';

export interface JetStreamConsumerOptions {
  /**
   * One of yours, which is not closed here; or how to make one, which is called until it succeeds, and that one is closed by `stop`.
   * Let it reconnect for ever (`maxReconnectAttempts: -1`).
   */
  connection: NatsConnection | (() => Promise<NatsConnection>);
  /** JetStream keeps by this name what is acknowledged. Processes with the same name share the messages. */
  durable: string;
  /** Default: `KERNEL_EVENTS`. */
  stream?: string;
  /** `kernel.events.<tenant>.<stream>.<type>`, with `*` and `>` as wildcards. Default: `kernel.events.>`. */
  filterSubject?: string;
  /** Messages under way at a time, over all processes that share the durable. 1 keeps the order of the broker. Default: 1. */
  maxAckPending?: number;
  /** After this silence JetStream takes a process for dead and gives its messages to others. Default: 30000. */
  ackWaitMs?: number;
  /** Pauses before a message whose work failed comes again: doubling from one to the other. Default: 1000 and 60000. */
  retry?: { initialDelayMs?: number; maxDelayMs?: number };
  /**
   * What becomes of a message whose signature does not fit. `wait`: it comes again until it does, and with `maxAckPending: 1` all
   * others wait behind it. `give-up`: it is skipped and told of as an error, for streams that others write to as well. Default: `wait`.
   */
  unverified?: 'wait' | 'give-up';
  /** Told of every message whose transaction is over, before it is acknowledged. Must not throw. */
  onReceived?: (event: InboxEvent, reception: Reception) => void;
}

export type JetStreamConsumerConfig = ReturnType<typeof readConsumerOptions>;

const positive = z.int().min(1);

const Options = z.strictObject({
  connection: z.custom<JetStreamConsumerOptions['connection']>(
    (value) => typeof value === 'function' || isConnection(value),
    'must be a connection of @nats-io/transport-node, or a function that makes one',
  ),
  durable: z.string().regex(/^[\w-]{1,120}$/, 'must be 1 to 120 letters, digits, _ -'),
  stream: z
    .string()
    .regex(/^[\w-]{1,120}$/, 'must be 1 to 120 letters, digits, _ -')
    .default('KERNEL_EVENTS'),
  filterSubject: z
    .string()
    .regex(/^[^\s]{1,500}$/, 'must be a subject without blanks')
    .default('kernel.events.>'),
  maxAckPending: positive.max(10_000).default(1),
  ackWaitMs: positive.min(100).max(3_600_000).default(30_000),
  retry: z.strictObject({ initialDelayMs: positive.default(1_000), maxDelayMs: positive.default(60_000) }).prefault({}),
  unverified: z.enum(['wait', 'give-up']).default('wait'),
  onReceived: z
    .custom<JetStreamConsumerOptions['onReceived']>((value) => typeof value === 'function', 'must be a function')
    .optional(),
});

export function readConsumerOptions(options: JetStreamConsumerOptions) {
  const parsed = Options.safeParse(options);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'options'}: ${issue.message}`);
    throw new InvalidInboxOptionsError(`the options of the JetStream consumer are not valid: ${problems.join('; ')}`);
  }
  return Object.freeze(parsed.data);
}

function isConnection(value: unknown): boolean {
  return typeof (value as { isClosed?: unknown } | null)?.isClosed === 'function';
}
