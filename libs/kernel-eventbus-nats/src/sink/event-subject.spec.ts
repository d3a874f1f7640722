import fc from 'fast-check';
import { escapeToken, eventSubject, unescapeToken } from './event-subject.js';

describe('the subject of an event', () => {
  it.each([
    ['invoice:7', 'invoice%3A7'],
    ['order.placed.v1', 'order%2Eplaced%2Ev1'],
    ['a b\t*>$%', 'a%20b%09%2A%3E%24%25'],
    ['é', '%C3%A9'],
    ['plain_Text-9', 'plain_Text-9'],
  ])('[ADR-2] writes %j as one token: %s', (text, token) => {
    expect(escapeToken(text)).toBe(token);
  });

  it('[KER-T] names tenant, stream and type, one token each', () => {
    const parts = { tenantId: '3f1b', streamKey: 'invoice:7', type: 'invoice.created.v1' };
    expect(eventSubject('kernel.events', parts)).toBe('kernel.events.3f1b.invoice%3A7.invoice%2Ecreated%2Ev1');
  });

  it('loses nothing and breaks out of no token, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 160 }), (text) => {
        const token = escapeToken(text);
        expect(token).toMatch(/^(?:[A-Za-z0-9_-]|%[0-9A-F]{2})+$/);
        expect(unescapeToken(token)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });
});
