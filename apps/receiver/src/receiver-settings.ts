/** Settings of the receiver. */
export interface ReceiverSettings {
  /** Address to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly databaseUrl: string;
  /** Shared with the sender, `whsec_...`. Without it nothing is accepted. */
  readonly secret: string | undefined;
}
