import { countStreams } from './count-streams.js';
import type { PreparedEvent } from './prepare-event.js';

const event = (tenantId: string, streamKey: string, isSequenced = true) =>
  ({ tenantId, streamKey, isSequenced }) as PreparedEvent;

describe('counting streams', () => {
  it('counts what each stream gives, sorted, and how many follow each event', () => {
    const events = [event('b', 's:1'), event('a', 's:2'), event('b', 's:1'), event('a', 's:1')];
    expect(countStreams(events)).toEqual({
      streams: [
        { tenantId: 'a', streamKey: 's:1', count: 1 },
        { tenantId: 'a', streamKey: 's:2', count: 1 },
        { tenantId: 'b', streamKey: 's:1', count: 2 },
      ],
      behind: [1, 0, 0, 0],
    });
  });

  it('leaves out events that take no number', () => {
    expect(countStreams([event('a', 's:1', false), event('a', 's:1')])).toEqual({
      streams: [{ tenantId: 'a', streamKey: 's:1', count: 1 }],
      behind: [null, 0],
    });
  });
});
