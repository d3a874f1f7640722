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
  const events = ['1', '22', '333', '4444', '5'].map((payloadJson) => ({ payloadJson, attributesJson: '' }));
  const slicesBy = (maxCharacters: number) =>
    slicesOf(events as PreparedEvent[], maxCharacters).map((slice) => slice.map(({ payloadJson }) => payloadJson));

  it('keep the order of the events and stay within the limit', () => {
    expect(slicesBy(5)).toEqual([['1', '22'], ['333'], ['4444', '5']]);
  });

  it('are one if everything fits, and one for each event that does not', () => {
    expect(slicesBy(100)).toHaveLength(1);
    expect(slicesBy(1)).toEqual([['1'], ['22'], ['333'], ['4444'], ['5']]);
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
