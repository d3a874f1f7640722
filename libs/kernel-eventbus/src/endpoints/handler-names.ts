/** `dispatcher` of the endpoint that stands for a handler in the application. No other dispatcher can have this name. */
export const HANDLER_DISPATCHER = 'handler';
