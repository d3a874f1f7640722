import { AppSettings } from '@kernel/app';
import type { EventBusRole } from '@kernel/eventbus';

/** The validated environment plus the launcher's additions. Its own injection token. */
export abstract class ErpSettings extends AppSettings {
  abstract readonly role: EventBusRole;
  /** True if the demo tenant exists and `simulateFailure` works. */
  abstract readonly isDemo: boolean;
  /**
   * The demo's receiver: the only destination exempt from the guard besides `allowHttp` and `allowedCidrs`. Required in
   * demo mode.
   */
  abstract readonly receiverUrl?: string;
  /** Folder of the built console. Default: that of `@kernel/eventbus-console`. */
  abstract readonly consoleFolder?: string;
  abstract readonly retry: { maxAttempts?: number; initialDelayMs?: number; maxDelayMs?: number };
  abstract readonly timeoutMs?: number;
  abstract readonly maxTimeoutMs?: number;
  abstract readonly maxInFlightPerEndpoint?: number;
  abstract readonly concurrency?: number;
  abstract readonly maxPayloadBytes?: number;
}
