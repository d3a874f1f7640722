/**
 * Thrown by middleware or a dispatcher's transport for a fault on our side: the delivery waits, no attempt is used up.
 */
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
