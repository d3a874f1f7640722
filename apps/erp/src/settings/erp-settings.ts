import type { EventBusRole } from '@kernel/eventbus';
import type { DestinationStream, LevelWithSilent } from 'pino';

/** What the app starts with: the environment, checked, and what the launcher adds to it. Its own injection token. */
export abstract class ErpSettings {
  abstract readonly databaseUrl: string;
  /** A role that every connection takes on, where the URL's user could do more than the app needs. */
  abstract readonly databaseRole?: string;
  /** 0 picks a free one. */
  abstract readonly port: number;
  abstract readonly role: EventBusRole;
  abstract readonly masterKey: string;
  /** The key before it, while the rotation from one to the other is not finished. */
  abstract readonly previousMasterKey?: string;
  abstract readonly adminToken: string | undefined;
  /** The demo tenant exists and `simulateFailure` works. */
  abstract readonly isDemo: boolean;
  /** The demo's receiver, the only place that the guard lets out to beside what follows. Needed in demo mode. */
  abstract readonly receiverUrl?: string;
  /** Where the built console lies. Default: `apps/console/dist` below the working directory. */
  abstract readonly consoleFolder?: string;
  abstract readonly allowHttp: boolean;
  abstract readonly allowedCidrs: readonly string[];
  abstract readonly retry: { maxAttempts?: number; initialDelayMs?: number; maxDelayMs?: number };
  abstract readonly timeoutMs?: number;
  abstract readonly maxTimeoutMs?: number;
  abstract readonly maxInFlightPerEndpoint?: number;
  abstract readonly concurrency?: number;
  abstract readonly maxPayloadBytes?: number;
  abstract readonly logLevel: LevelWithSilent;
  /** Default: standard output. */
  abstract readonly logStream?: DestinationStream;
}
