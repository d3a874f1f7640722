import { EventBusError } from '@kernel/eventbus';

export class NatsConfigurationError extends EventBusError {
  readonly code = 'EVENTBUS_NATS_CONFIGURATION';
}

/** A stream or consumer on the broker differs from the required setup. Nothing was changed. */
export class NatsStreamDiffersError extends EventBusError {
  readonly code = 'EVENTBUS_NATS_STREAM_DIFFERS';

  constructor(what: string, differences: readonly string[], fix: string, options?: ErrorOptions) {
    super(`${what} differs from what is demanded: ${differences.join('; ')}. ${fix}`, options);
  }
}

/** Not connected, or not set up yet: it is retried in the background. */
export class NatsUnavailableError extends EventBusError {
  readonly code = 'EVENTBUS_NATS_UNAVAILABLE';
}
