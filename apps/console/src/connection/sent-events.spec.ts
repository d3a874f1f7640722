import { SentEventReader } from './sent-events.ts';

const TEXT =
  ': keep-alive\n\nevent: now\ndata: {"due":1}\n\nevent: deliveries\r\ndata: {"items":\r\ndata: []}\r\n\r\ndata: x\n\n';
const EVENTS = [
  { event: 'now', data: '{"due":1}' },
  { event: 'deliveries', data: '{"items":\n[]}' },
  { event: 'message', data: 'x' },
];

describe('SentEventReader', () => {
  it('reads events and drops comments', () => {
    expect(new SentEventReader().read(TEXT)).toEqual(EVENTS);
  });

  it.each([1, 2, 3, 7])('reads them in pieces of %d characters', (size) => {
    const reader = new SentEventReader();
    const pieces = TEXT.match(new RegExp(`[^]{1,${size}}`, 'g'))!;
    expect(pieces.flatMap((piece) => reader.read(piece))).toEqual(EVENTS);
  });

  it('keeps what is not complete', () => {
    expect(new SentEventReader().read('event: now\ndata: {}\n')).toEqual([]);
  });
});
