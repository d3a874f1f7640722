/** A request that waits for a place. */
export interface InLine {
  deliveryId: string;
  endpointId: string;
  /** Maximum of requests in flight to its endpoint. */
  limit: number;
}

/**
 * The requests that are likely to enter next, one of each queue in turn, `most` in all. `roomOf`: how many requests to
 * an endpoint can enter soon. Requests to an endpoint without room are skipped, however long they have waited.
 */
export function nextInLine(
  queues: readonly (readonly InLine[])[],
  most: number,
  roomOf: (request: InLine) => number,
): string[] {
  const found: string[] = [];
  const foundOf = new Map<string, number>();
  const deepest = Math.max(0, ...queues.map((queue) => queue.length));
  for (let depth = 0; depth < deepest && found.length < most; depth++) {
    for (const queue of queues) {
      const request = queue[depth];
      const count = request && (foundOf.get(request.endpointId) ?? 0);
      if (request && found.length < most && count! < roomOf(request)) {
        foundOf.set(request.endpointId, count! + 1);
        found.push(request.deliveryId);
      }
    }
  }
  return found;
}
