import type { CrashEndpoint } from '../crash-run.js';
import type { JournalRow } from '../programs/journal.sql.js';
import type { Receipt } from '@kernel/test-support/recording-receiver';
import { isWantedBy } from './receipt-faults.js';

/**
 * The order that a receiver can prove by itself: no sequence is lower than the last of its stream, except for repeats,
 * and the previous sequence always names the one received before. The numbers are those of the domain's commits.
 */
export function findOrderFaults(
  journal: readonly JournalRow[],
  endpoints: readonly CrashEndpoint[],
  receipts: readonly Receipt[],
): string[] {
  const ordered = endpoints.filter(({ ordering }) => ordering === 'stream');
  return ordered.flatMap((endpoint) => {
    const places = new Map(journal.filter((row) => isWantedBy(row, endpoint)).map((row) => [row.eventId, row.place]));
    const streams = new Map<string, StreamRecord>();
    return receipts
      .filter((receipt) => receipt.endpoint === endpoint.name)
      .flatMap(({ headers }) => {
        const streamKey = headers['x-kernel-stream-key'] as string;
        const stream = streams.get(streamKey) ?? { last: undefined, previousOf: new Map() };
        streams.set(streamKey, stream);
        const eventId = headers['webhook-id'] as string;
        const sequence = numberIn(headers['x-kernel-stream-sequence']);
        const previous = numberIn(headers['x-kernel-previous-sequence']);
        return takeIn(stream, { eventId, sequence, previous, place: places.get(eventId) }).map(
          (fault) => `${endpoint.name}: ${streamKey} #${sequence} after #${stream.last}, ${eventId} ${fault}`,
        );
      });
  });
}

interface StreamRecord {
  last: number | undefined;
  /** By event: the last sequence when it first arrived. */
  previousOf: Map<string, number | undefined>;
}

interface Arrival {
  eventId: string;
  sequence: number | undefined;
  previous: number | undefined;
  place: number | undefined;
}

function takeIn(stream: StreamRecord, { eventId, sequence, previous, place }: Arrival): string[] {
  const faults: string[] = [];
  if (sequence === undefined || sequence !== place) {
    faults.push(`was committed as #${place}`);
  }
  if (!stream.previousOf.has(eventId)) {
    if (sequence !== undefined && stream.last !== undefined && sequence <= stream.last) {
      faults.push('came too late');
      return faults;
    }
    stream.previousOf.set(eventId, stream.last);
    stream.last = sequence;
  }
  if (previous !== stream.previousOf.get(eventId)) {
    faults.push(`says that #${previous} came before it`);
  }
  return faults;
}

function numberIn(header: string | string[] | undefined): number | undefined {
  return header === undefined ? undefined : Number(header);
}
