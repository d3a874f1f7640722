import { toBodyExcerpt } from './body-excerpt.js';

describe('toBodyExcerpt', () => {
  it('keeps text and turns line breaks into blanks', () => {
    expect(toBodyExcerpt('{"ok":\n\ttrue}')).toBe('{"ok":  true}');
  });

  it('replaces what PostgreSQL or a console cannot take', () => {
    expect(toBodyExcerpt('a\0b\x1b[31mc\x7f\x9b\u202ed')).toBe('a\ufffdb\ufffd[31mc\ufffd\ufffd\ufffdd');
  });

  it('is at most 1,024 characters and never ends in half a character', () => {
    const excerpt = toBodyExcerpt('a'.repeat(1_023) + '\u{1f600}' + 'b');
    expect(excerpt).toHaveLength(1_024);
    expect(excerpt.isWellFormed()).toBe(true);
  });
});
