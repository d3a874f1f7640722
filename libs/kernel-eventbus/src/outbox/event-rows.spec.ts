import fc from 'fast-check';
import { hostileText, hostileValue } from '@kernel/test-support/hostile-json';
import { slicesOf, toEventRows } from './event-rows.js';
import type { PreparedEvent } from './prepare-event.js';

interface Row {
  position: number;
  behind: number | null;
  stream_key: string;
  payload: unknown;
  attributes: unknown;
}

function rowsOf(events: Partial<PreparedEvent>[]): Row[] {
  const complete = events.map((event) => ({
    tenantId: 'a',
    streamKey: 's:1',
    isSequenced: true,
    payloadJson: '{}',
    attributesJson: '{}',
    ...event,
  }));
  return JSON.parse(toEventRows(complete as PreparedEvent[])) as Row[];
}

describe('the slices of a large transaction', () => {
  const events = ['b', 'a', 'b', '\u{1f600}', '\uff5e', 'a'].map((streamKey, place) => ({
    tenantId: 't',
    streamKey,
    payloadJson: String(place),
    attributesJson: '{}',
  })) as PreparedEvent[];
  const slicesBy = (maxCharacters: number) =>
    slicesOf(events, maxCharacters).map((slice) => slice.map(({ payloadJson }) => Number(payloadJson)));

  it('are one, in the order of publication, if everything fits', () => {
    expect(slicesBy(1_000_000)).toEqual([[0, 1, 2, 3, 4, 5]]);
  });

  it('are in the order of the streams by bytes, and within a stream in that of publication', () => {
    expect(slicesBy(2_500)).toEqual([
      [1, 5],
      [0, 2],
      [4, 3],
    ]);
    expect(slicesBy(1)).toEqual([[1], [5], [0], [2], [4], [3]]);
  });
});

describe('the rows of events', () => {
  it('tell how many events of the same stream follow each event', () => {
    const rows = rowsOf([
      { tenantId: 'b' },
      { streamKey: 's:2' },
      { tenantId: 'b' },
      { isSequenced: false },
      { tenantId: 'b' },
      {},
    ]);
    expect(rows.map(({ behind }) => behind)).toEqual([2, 0, 1, null, 0, 0]);
    expect(rows.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('carry any text and any JSON unchanged', () => {
    fc.assert(
      fc.property(hostileText, hostileValue, (streamKey, value) => {
        const [, row] = rowsOf([{}, { streamKey, payloadJson: JSON.stringify({ value }) }]);
        expect(row).toMatchObject({ stream_key: streamKey, attributes: {} });
        expect(JSON.stringify(row!.payload)).toBe(JSON.stringify({ value }));
      }),
    );
  });
});
