/** The delivery was not sent, because the worker needs its hands free: it goes back to the queue and costs no attempt. */
export class GivenBackError extends Error {
  constructor() {
    super('given back before it was sent');
    this.name = 'GivenBackError';
  }
}
