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
  /** A role that every connection takes on, where the URL's user could do more than the app needs. */
  abstract readonly databaseRole?: string;
  /** 0 picks a free one. */
  abstract readonly port: number;
  abstract readonly masterKey: string;
  /** The key before it, while the rotation from one to the other is not finished. */
  abstract readonly previousMasterKey?: string;
  abstract readonly adminToken: string | undefined;
  abstract readonly allowHttp: boolean;
  abstract readonly allowedCidrs: readonly string[];
  abstract readonly provider?: ProviderLimits;
  abstract readonly logLevel: LevelWithSilent;
  /** Default: standard output. */
  abstract readonly logStream?: DestinationStream;
}
