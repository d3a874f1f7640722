import { AppSettings } from '@kernel/app';
import type { EventBusOptions } from '@kernel/eventbus';

/** Settings of the tenant service. Its own injection token. */
export abstract class TenantsSettings extends AppSettings {
  /** The broker that carries the changes, `nats://127.0.0.1:4222`. It may be unavailable. */
  abstract readonly natsUrl: string;
  /** Shared with the projection, `whsec_...`, to prove that changes come from this service. */
  abstract readonly projectionSecret: string;
  /** Time until another process takes over from a dead one. Default: the kernel's. */
  abstract readonly recovery?: Pick<EventBusOptions, 'heartbeat' | 'leaseMs' | 'polling'>;
}
