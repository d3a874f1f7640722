import { cutPage, MAX_PAGE_BYTES } from './page-bytes.js';

const rows = (...sizes: number[]) => sizes.map((bytes, id) => ({ id, bytes }));
const cut = (limit: number, ...sizes: number[]) => {
  const page = cutPage(rows(...sizes), limit);
  return [page.rows.map(({ id }) => id), page.isMore];
};

describe('cutPage', () => {
  it('ends at the limit, and knows whether there is more', () => {
    expect(cut(2, 1, 1, 1)).toEqual([[0, 1], true]);
    expect(cut(2, 1, 1)).toEqual([[0, 1], false]);
    expect(cut(2)).toEqual([[], false]);
  });

  it('ends where its bytes are used up, though never before the first row', () => {
    expect(cut(9, MAX_PAGE_BYTES / 2, MAX_PAGE_BYTES / 2, 1, 1)).toEqual([[0, 1], true]);
    expect(cut(9, MAX_PAGE_BYTES * 2, 1)).toEqual([[0], true]);
    expect(cut(9, MAX_PAGE_BYTES * 2)).toEqual([[0], false]);
  });

  it('leaves out no row between others', () => {
    expect(cut(9, 1, MAX_PAGE_BYTES, 1)).toEqual([[0], true]);
  });
});
