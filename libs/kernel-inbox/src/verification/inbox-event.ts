/** An event as the sender's envelope and headers tell it. Comes from `Inbox.verify`: its sender is known. */
export interface InboxEvent {
  /** The same however often it is sent. */
  eventId: string;
  tenantId: string;
  streamKey: string;
  type: string;
  occurredAt: string;
  traceId: string;
  actorId?: string;
  payload: Record<string, unknown>;
  /** Its number in its stream; null when its type has no order. Not covered by the signature. */
  sequence: number | null;
  /** That of the event of this stream that was sent to this endpoint before it; null for the first, and where order was not asked for. */
  previousSequence: number | null;
}
