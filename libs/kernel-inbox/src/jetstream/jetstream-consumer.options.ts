import type { NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { describeIssues } from '../describe-issues.js';
import { InvalidInboxOptionsError } from '../inbox.errors.js';
import type { Reception } from '../reception/inbox.js';
import type { InboxEvent } from '../verification/inbox-event.js';

export interface JetStreamConsumerOptions {
  /**
   * A connection of the host, which is not closed here; or a factory, which is called until it succeeds and whose
   * connection `stop` closes. It should reconnect without limit (`maxReconnectAttempts: -1`).
   */
  connection: NatsConnection | (() => Promise<NatsConnection>);
  /** JetStream stores acknowledgements under this name. Processes with the same name share the messages. */
  durable: string;
  /** Default: `KERNEL_EVENTS`. */
  stream?: string;
  /** `kernel.events.<tenant>.<stream>.<type>`, with `*` and `>` as wildcards. Default: `kernel.events.>`. */
  filterSubject?: string;
  /** Maximum messages in flight, over all processes that share the durable. 1 keeps the broker's order. Default: 1. */
  maxAckPending?: number;
  /** After this silence JetStream considers a process dead and redelivers its messages. Default: 30000. */
  ackWaitMs?: number;
  /**
   * Delay before a failed message is redelivered: doubles from the first to the second value. Default: 1000 and 60000.
   */
  retry?: { initialDelayMs?: number; maxDelayMs?: number };
  /**
   * Handling of a message whose signature is invalid. `wait`: it is redelivered until the signature is valid, and with
   * `maxAckPending: 1` all others wait behind it. `give-up`: it is skipped and logged as an error, for streams with
   * other writers. Default: `wait`.
   */
  unverified?: 'wait' | 'give-up';
  /** Called after the transaction of a message ends and before it is acknowledged. Must not throw. */
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
    throw new InvalidInboxOptionsError(
      `the options of the JetStream consumer are not valid: ${describeIssues(parsed.error.issues)}`,
    );
  }
  return Object.freeze(parsed.data);
}

function isConnection(value: unknown): boolean {
  return typeof (value as { isClosed?: unknown } | null)?.isClosed === 'function';
}
