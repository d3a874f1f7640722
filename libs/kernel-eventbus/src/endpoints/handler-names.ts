/** `dispatcher` of an endpoint that stands for a handler in the application. Reserved: no other may have this name. */
export const HANDLER_DISPATCHER = 'handler';
