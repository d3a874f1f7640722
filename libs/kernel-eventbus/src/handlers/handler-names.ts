/** Stands in an endpoint's `dispatcher` for a handler inside the application; no dispatcher can be called so. */
export const HANDLER_DISPATCHER = 'handler';

/** The tenant of an endpoint that takes the events of all tenants: only handlers do. */
export const ALL_TENANTS = '00000000-0000-0000-0000-000000000000';
