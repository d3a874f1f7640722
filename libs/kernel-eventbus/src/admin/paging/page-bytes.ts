/**
 * How much of what is stored one page shows, an item at least. A page may then have fewer items than asked for and still a next
 * one: reading, checking and writing it takes the process some milliseconds, however large its rows are.
 */
export const MAX_PAGE_BYTES = 1_048_576;

/** For the documentation of such a list. */
export const PAGE_BYTES_NOTE = `a page ends early where its items are large (${MAX_PAGE_BYTES} bytes): go on while there is a nextCursor`;

/** The rows of a page, of which one more than the limit was asked for. */
export function cutPage<Row extends { bytes: number }>(
  rows: readonly Row[],
  limit: number,
): { rows: Row[]; isMore: boolean } {
  let bytes = 0;
  const fit = rows.slice(0, limit).filter((row, index) => {
    bytes += row.bytes;
    return index === 0 || bytes <= MAX_PAGE_BYTES;
  });
  return { rows: fit, isMore: fit.length < rows.length };
}
