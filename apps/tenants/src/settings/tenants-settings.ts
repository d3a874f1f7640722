import type { EventBusOptions } from '@kernel/eventbus';
import type { DestinationStream, LevelWithSilent } from 'pino';

/** What the tenant service starts with. Its own injection token. */
export abstract class TenantsSettings {
  abstract readonly databaseUrl: string;
  /** A role that every connection takes on, where the URL's user could do more than the app needs. */
  abstract readonly databaseRole?: string;
  /** 0 picks a free one. */
  abstract readonly port: number;
  /** Of the broker that carries the changes, `nats://127.0.0.1:4222`. It may be away. */
  abstract readonly natsUrl: string;
  /** Shared with the projection, `whsec_...`: what it keeps has to come from here. */
  abstract readonly projectionSecret: string;
  abstract readonly masterKey: string;
  /** The key before it, while the rotation from one to the other is not finished. */
  abstract readonly previousMasterKey?: string;
  abstract readonly adminToken: string | undefined;
  abstract readonly allowHttp: boolean;
  abstract readonly allowedCidrs: readonly string[];
  /** How soon another process takes over from one that died. Default: the kernel's own. */
  abstract readonly recovery?: Pick<EventBusOptions, 'heartbeat' | 'leaseMs' | 'polling'>;
  abstract readonly logLevel: LevelWithSilent;
  /** Default: standard output. */
  abstract readonly logStream?: DestinationStream;
}
