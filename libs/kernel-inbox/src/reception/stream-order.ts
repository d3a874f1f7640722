/** What the numbers of an event say of the events before it in its stream. */
export type StreamOrder =
  /** It has no number: its type has no order. */
  | { kind: 'unsequenced' }
  /** Nothing of this stream was sent to this endpoint before, or order was not asked for. */
  | { kind: 'first' }
  /** Others were sent before, but this inbox knows none of the stream: it is new, or has forgotten them. */
  | { kind: 'joined'; previous: number }
  /** The one sent before it is processed. Numbers left out between the two were filtered by the sender: nothing is missing. */
  | { kind: 'in-order' }
  /** The one sent before it, `upTo`, is not processed here, and perhaps others after `after`. */
  | { kind: 'gap'; after: number; upTo: number }
  /** One with a number as high or higher, `last`, is processed already. */
  | { kind: 'late'; last: number }
  /** Numbers were left out since `last` and the sender does not say which it sent: a filter or a gap. Ask for `ordering: 'stream'`. */
  | { kind: 'unproven'; last: number };

export interface KnownStream {
  /** The highest number that is processed here. */
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
