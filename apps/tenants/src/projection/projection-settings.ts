/** What the projection starts with. Its own injection token. */
export abstract class ProjectionSettings {
  /** A database of its own, which it migrates itself. */
  abstract readonly databaseUrl: string;
  /** 0 picks a free one. */
  abstract readonly port: number;
  /** It may be away. */
  abstract readonly natsUrl: string;
  /** Shared with the tenant service, `whsec_...`. */
  abstract readonly secret: string;
  /** After this silence the broker gives a message to another process. Default: 30000. */
  abstract readonly ackWaitMs?: number;
}
