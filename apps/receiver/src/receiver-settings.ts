/** What the receiver starts with. Its own injection token. */
export abstract class ReceiverSettings {
  /** 0 picks a free one. */
  abstract readonly port: number;
  abstract readonly databaseUrl: string;
  /** Shared with the sender, `whsec_...`. Without it nothing can be verified, so nothing is accepted. */
  abstract readonly secret: string | undefined;
}
