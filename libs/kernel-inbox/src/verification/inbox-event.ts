/** An event read from the sender's envelope and headers. Returned by `Inbox.verify`, so its sender is proven. */
export interface InboxEvent {
  /** The same for every delivery of the event. */
  eventId: string;
  tenantId: string;
  streamKey: string;
  type: string;
  occurredAt: string;
  traceId: string;
  actorId?: string;
  payload: Record<string, unknown>;
  /** Its number in its stream; null when its type is not ordered. Not covered by the signature. */
  sequence: number | null;
  /** Number of the previous event of this stream sent to this endpoint; null for the first, and without ordering. */
  previousSequence: number | null;
}
