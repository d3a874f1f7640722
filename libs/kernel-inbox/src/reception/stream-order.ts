/** Position of an event relative to the earlier events of its stream. */
export type StreamOrder =
  /** No sequence number: the event type is not ordered. */
  | { kind: 'unsequenced' }
  /** No event of this stream was sent to this endpoint before, or ordering was not requested. */
  | { kind: 'first' }
  /** Others were sent before, but this inbox has no mark of the stream: it is new, or has pruned them. */
  | { kind: 'joined'; previous: number }
  /** The event sent before it is processed. Skipped numbers were filtered by the sender: nothing is missing. */
  | { kind: 'in-order' }
  /** The event sent before it, `upTo`, is not processed here, and perhaps others after `after`. */
  | { kind: 'gap'; after: number; upTo: number }
  /** An event with the same or a higher number, `last`, is already processed. */
  | { kind: 'late'; last: number }
  /**
   * Numbers are missing since `last`, and the sender does not say which it sent: a filter or a gap. Request `ordering:
   * 'stream'`.
   */
  | { kind: 'unproven'; last: number };

export interface KnownStream {
  /** The highest processed number. */
  last: number | null;
  isPreviousProcessed: boolean;
}

export function judgeOrder(
  { sequence, previousSequence }: { sequence: number | null; previousSequence: number | null },
  { last, isPreviousProcessed }: KnownStream,
): StreamOrder {
  if (sequence === null) {
    return { kind: 'unsequenced' };
  }
  if (last === null) {
    return previousSequence === null ? { kind: 'first' } : { kind: 'joined', previous: previousSequence };
  }
  if (sequence <= last) {
    return { kind: 'late', last };
  }
  if (previousSequence !== null) {
    return isPreviousProcessed ? { kind: 'in-order' } : { kind: 'gap', after: last, upTo: previousSequence };
  }
  return sequence === last + 1 ? { kind: 'in-order' } : { kind: 'unproven', last };
}
