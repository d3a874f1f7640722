import type { DestinationStream, LevelWithSilent } from 'pino';

export interface ProviderLimits {
  /** Failures in a row that open the circuit breaker. Default: 3. */
  failures?: number;
  /** How long it stays open before the provider is tried again. Default: 10000. */
  openMs?: number;
  /** How long the provider may take. Default: 2000. */
  timeoutMs?: number;
}

/** What the app starts with. Its own injection token. */
export abstract class SignaturesSettings {
  abstract readonly databaseUrl: string;
  /** 0 picks a free one. */
  abstract readonly port: number;
  abstract readonly masterKey: string;
  abstract readonly adminToken: string | undefined;
  abstract readonly allowHttp: boolean;
  abstract readonly allowedCidrs: readonly string[];
  abstract readonly provider?: ProviderLimits;
  abstract readonly logLevel: LevelWithSilent;
  /** Default: standard output. */
  abstract readonly logStream?: DestinationStream;
}
