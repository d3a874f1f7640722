/** Thrown by middleware for a fault of our own: nothing was sent, the delivery waits, and no attempt is used up. */
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
