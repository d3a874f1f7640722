import { toJson } from './plain-text.js';
import { renderProgress } from './progress-bar.js';
import { renderRecord, renderTable } from './table.js';

it('aligns columns, and leaves out fields that nobody asked for', () => {
  const rows = [
    { id: 'a', types: ['x', 'y'], secret: 's' },
    { id: 'long', types: null },
  ];
  expect(renderTable(rows, { id: 'ID', types: 'TYPES' })).toBe('ID    TYPES\na     x, y\nlong\n');
});

it('cuts what is too wide for a table, not what stands alone', () => {
  const text = 'x'.repeat(100);
  expect(renderTable([{ text }], { text: 'TEXT' })).toBe(`TEXT\n${'x'.repeat(59)}…\n`);
  expect(renderRecord({ text, at: { a: 1 } })).toBe(`text  ${text}\nat    {"a":1}\n`);
});

it('lets no text steer the terminal', () => {
  const name = 'a\u001b[2Jb\u009bc\nd\u202ee';
  expect(renderRecord({ name })).toBe('name  a [2Jb c d e\n');
  expect(toJson({ name })).toContain('a\\u001b[2Jb\\u009bc\\nd\\u202ee');
  expect(JSON.parse(toJson({ name }))).toEqual({ name });
});

it.each([
  [{ done: 0, total: 3 }, `[${'.'.repeat(30)}] 0 % 0/3`],
  [{ done: 1, total: 2 }, `[${'#'.repeat(15)}${'.'.repeat(15)}] 50 % 1/2`],
  [{ done: 0, total: 0 }, `[${'#'.repeat(30)}] 100 % 0/0`],
])('draws %j', (progress, line) => {
  expect(renderProgress(progress)).toBe(line);
});
