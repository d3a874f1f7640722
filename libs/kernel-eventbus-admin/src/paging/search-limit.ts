/**
 * Rows scanned for one page if no index fits the filter. A page may have fewer items than requested, or none, and still
 * a next page. Following `nextCursor` to the end returns everything, with short requests.
 */
export const SEARCHED_PER_PAGE = 20_000;

/** For the API documentation of such a list. */
export const SEARCH_NOTE = `by type, a page searches ${SEARCHED_PER_PAGE} and may be short: go on while there is a nextCursor`;
