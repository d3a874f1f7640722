/**
 * Rows scanned for one page if no index fits the filter. A page may have fewer items than requested, or none, and still
 * a next page. Following `nextCursor` to the end returns everything, with short requests.
 */
export const SEARCHED_PER_PAGE = 20_000;

/** The same where each row takes a lookup in another table, or is found among those of other tenants. */
export const SEARCHED_BY_LOOKUP = 5_000;

/** For the API documentation of such a list. */
export const SEARCH_NOTE = `a page searches ${SEARCHED_PER_PAGE} where no index fits the filter, and may be short or empty: go on while there is a nextCursor`;
