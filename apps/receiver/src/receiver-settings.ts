/** What the receiver starts with. */
export interface ReceiverSettings {
  /** 0 picks a free one. */
  readonly port: number;
  readonly databaseUrl: string;
  /** Shared with the sender, `whsec_...`. Without it nothing can be verified, so nothing is accepted. */
  readonly secret: string | undefined;
}
