export interface BodyParts {
  eventId: string;
  tenantId: string;
  streamKey: string;
  type: string;
  occurredAt: string;
  traceId: string;
  actorId: string | null;
  dispatchedAt: string;
  payloadJson: string;
}

/**
 * The exact bytes of the webhook. `dispatchedAt` was set once at routing, so every retry sends the same bytes while
 * policy and payload stay the same. The payload's text is spliced in as it is.
 */
export function buildBody(parts: BodyParts): string {
  const head = JSON.stringify({
    eventId: parts.eventId,
    tenantId: parts.tenantId,
    streamKey: parts.streamKey,
    type: parts.type,
    occurredAt: new Date(parts.occurredAt).toISOString(),
    dispatchedAt: new Date(parts.dispatchedAt).toISOString(),
    traceId: parts.traceId,
    ...(parts.actorId && { actorId: parts.actorId }),
  });
  return `${head.slice(0, -1)},"payload":${parts.payloadJson}}`;
}
