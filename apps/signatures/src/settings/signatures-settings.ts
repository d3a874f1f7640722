import { AppSettings } from '@kernel/app';

export interface ProviderLimits {
  /** Consecutive failures that open the circuit breaker. Default: 3. */
  failures?: number;
  /** Time before an open breaker tries the provider again. Default: 10000. */
  openMs?: number;
  /** Deadline of a call to the provider. Default: 2000. */
  timeoutMs?: number;
}

/** Settings of the app. Its own injection token. */
export abstract class SignaturesSettings extends AppSettings {
  abstract readonly provider?: ProviderLimits;
}
