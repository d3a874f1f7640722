import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { NatsUnavailableError } from '../nats.errors.js';

export interface PublishRefusal {
  /** `too-large` is permanent; the others may succeed later. */
  kind: 'away' | 'full' | 'too-large';
  message: string;
}

const STORE_FAILED = 10_077;
const TOO_LARGE = 10_054;
const NO_RESOURCES = [10_023, 10_028, 10_047];

/** The reason why the broker refused a message, in words that name the fix. */
export function describeRefusal(error: unknown, stream: string): PublishRefusal {
  if (error instanceof JetStreamApiError) {
    return describeAnswer(error, stream);
  }
  if (error instanceof errors.InvalidArgumentError && error.message.includes('max_payload')) {
    return { kind: 'too-large', message: 'the message is larger than the max_payload of the NATS server' };
  }
  // Matched by name: the client does not export this class.
  if (error instanceof Error && ['JetStreamNotEnabled', 'NoResponders'].includes(error.name)) {
    return { kind: 'away', message: `no stream takes it: is JetStream on, and does the stream ${stream} exist?` };
  }
  if (error instanceof errors.TimeoutError) {
    return { kind: 'away', message: `the stream ${stream} did not confirm it in time` };
  }
  if (error instanceof NatsUnavailableError) {
    return { kind: 'away', message: error.message };
  }
  return { kind: 'away', message: 'the connection to NATS failed' };
}

function describeAnswer({ code, message }: JetStreamApiError, stream: string): PublishRefusal {
  if (code === TOO_LARGE) {
    return { kind: 'too-large', message: `the stream ${stream} takes no message of this size (max_msg_size)` };
  }
  if (code === STORE_FAILED || NO_RESOURCES.includes(code)) {
    return { kind: 'full', message: `the stream ${stream} is full (${message}): raise its limits or let it be read` };
  }
  return { kind: 'away', message: `the stream ${stream} did not take it (${message})` };
}
