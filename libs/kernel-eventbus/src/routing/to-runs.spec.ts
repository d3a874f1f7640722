import type { PendingEvent } from './pending-events.sql.js';
import { toRuns } from './to-runs.js';

const event = (eventId: string, streamKey: string, streamSequence: string | null, tenantId = 't') =>
  ({ eventId, tenantId, streamKey, streamSequence }) as PendingEvent;
const ids = (runs: PendingEvent[][]) => runs.map((run) => run.map(({ eventId }) => eventId));

describe('toRuns', () => {
  it('[FR-020] puts the streams that somebody wants in order one after the other, and leaves the rest apart', () => {
    const a10 = event('a10', 'a', '10');
    const events = [a10, event('b1', 'b', '1'), event('a9', 'a', '9'), event('b2', 'b', '2'), event('a', 'a', null)];
    expect(ids(toRuns(events, [a10]))).toEqual([['a9', 'a10'], ['b1'], ['b2'], ['a']]);
  });

  it('takes a stream of another tenant for another stream', () => {
    const mine = event('mine', 's', '1');
    expect(ids(toRuns([mine, event('yours', 's', '2', 'u'), event('next', 's', '2')], [mine]))).toEqual([
      ['mine', 'next'],
      ['yours'],
    ]);
  });
});
