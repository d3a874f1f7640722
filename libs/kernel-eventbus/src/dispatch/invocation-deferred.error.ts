/** Thrown by middleware, or by a dispatcher's own transport, for a fault of our own: the delivery waits, and no attempt is used up. */
export class InvocationDeferredError extends Error {
  constructor(
    /** A short class for lists and metrics, e.g. `secret_unavailable`. */
    readonly errorClass: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'InvocationDeferredError';
  }
}
