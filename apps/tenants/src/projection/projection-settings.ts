/** Settings of the projection. Its own injection token. */
export abstract class ProjectionSettings {
  /** Its own database, which it migrates itself. */
  abstract readonly databaseUrl: string;
  /** Address to listen on. Default: 127.0.0.1. */
  abstract readonly host?: string;
  /** 0 picks a free port. */
  abstract readonly port: number;
  /** The broker may be unavailable. */
  abstract readonly natsUrl: string;
  /** Shared with the tenant service, `whsec_...`. */
  abstract readonly secret: string;
  /** After this silence the broker redelivers a message to another process. Default: 30000. */
  abstract readonly ackWaitMs?: number;
}
