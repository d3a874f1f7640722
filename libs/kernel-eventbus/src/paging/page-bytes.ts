/**
 * Limit of stored bytes per page; a page has at least one item. A page may have fewer items than requested and still a
 * next page. This keeps reading, validating and writing a page at some milliseconds, whatever the size of its rows.
 */
export const MAX_PAGE_BYTES = 1_048_576;

/** For the API documentation of such a list. */
export const PAGE_BYTES_NOTE = `a page ends early where its items are large (${MAX_PAGE_BYTES} bytes): go on while there is a nextCursor`;

/** Expects one row more than the limit, if there are more. */
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
