export interface BodyHead {
  eventId: string;
  tenantId: string;
  /** Null: left out. */
  streamKey: string | null;
  type: string;
  occurredAt: string;
  traceId: string;
  actorId: string | null;
  dispatchedAt: string;
}

export interface BodyParts extends BodyHead {
  streamKey: string;
  payloadJson: string;
}

/**
 * The exact bytes of the webhook. `dispatchedAt` is set once at routing, so every retry sends the same bytes as long as
 * policy and payload stay the same. The payload's text is inserted unchanged.
 */
export function buildBody(head: BodyHead, payloadJson: string): string {
  const { eventId, tenantId, streamKey, type, traceId, actorId } = head;
  const occurredAt = new Date(head.occurredAt).toISOString();
  const dispatchedAt = dispatchTime(head.dispatchedAt);
  // JSON.stringify leaves undefined members out.
  const members = { eventId, tenantId, streamKey: streamKey ?? undefined, type, occurredAt, dispatchedAt, traceId };
  const json = JSON.stringify(actorId ? { ...members, actorId } : members);
  return `${json.slice(0, -1)},"payload":${payloadJson}}`;
}

let lastDispatchedAt: string | undefined;
let lastDispatchTime = '';

/** Cached: deliveries of one batch share it. */
function dispatchTime(dispatchedAt: string): string {
  if (dispatchedAt !== lastDispatchedAt) {
    lastDispatchTime = new Date(dispatchedAt).toISOString();
    lastDispatchedAt = dispatchedAt;
  }
  return lastDispatchTime;
}
