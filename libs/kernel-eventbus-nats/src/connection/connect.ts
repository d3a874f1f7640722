import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import type { NatsConnectionConfig } from './connection.options.js';

const HANDSHAKE_MS = 5_000;
const RECONNECT_EVERY_MS = 250;
const PING_EVERY_MS = 10_000;

/** Once established, the connection reconnects without limit: brokers come back. */
export function connectTo({
  servers,
  credentials,
  password,
  ...config
}: NatsConnectionConfig): Promise<NatsConnection> {
  return connect({
    ...config,
    servers,
    pass: password,
    authenticator: credentials === undefined ? undefined : credsAuthenticator(new TextEncoder().encode(credentials)),
    timeout: HANDSHAKE_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_EVERY_MS,
    ignoreAuthErrorAbort: true,
    pingInterval: PING_EVERY_MS,
    noAsyncTraces: true,
  });
}
