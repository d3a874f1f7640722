/** Thrown by a handler that will never take this event: it goes to the DLQ at once, without further attempts. */
export class HandlerRefusedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HandlerRefusedError';
  }
}
