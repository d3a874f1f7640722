/** Thrown by a handler that can never process the event: it is dead-lettered at once. */
export class HandlerRefusedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HandlerRefusedError';
  }
}
