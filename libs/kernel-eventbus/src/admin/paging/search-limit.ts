/**
 * What is looked through for one page where no index leads to what is asked for. A page may then have fewer items than asked for,
 * or none, and still a next one: whoever follows `nextCursor` to its end has seen everything, and no single request is long.
 */
export const SEARCHED_PER_PAGE = 20_000;

/** For the documentation of such a list. */
export const SEARCH_NOTE = `by type, a page searches ${SEARCHED_PER_PAGE} and may be short: go on while there is a nextCursor`;
