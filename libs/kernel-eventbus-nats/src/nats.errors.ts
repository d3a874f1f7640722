import { EventBusError } from '@kernel/eventbus';

export class NatsConfigurationError extends EventBusError {
  readonly code = 'EVENTBUS_NATS_CONFIGURATION';
}

/** What exists on the broker is not what is demanded. Nothing was changed. */
export class NatsStreamDiffersError extends EventBusError {
  readonly code = 'EVENTBUS_NATS_STREAM_DIFFERS';

  constructor(what: string, differences: readonly string[], fix: string, options?: ErrorOptions) {
    super(`${what} differs from what is demanded: ${differences.join('; ')}. ${fix}`, options);
  }
}

/** No connection, or none that is set up: it is tried again in the background. */
export class NatsUnavailableError extends EventBusError {
  readonly code = 'EVENTBUS_NATS_UNAVAILABLE';
}
