/** The input cannot be used; nothing was written. Names the line and what is wrong with it, never a value of it. */
export class InputRejectedError extends Error {
  readonly code = 'HYDROLOGY_INPUT_REJECTED';

  constructor(problem: string, options?: ErrorOptions) {
    super(`the input cannot be used: ${problem}`, options);
    this.name = 'InputRejectedError';
  }
}
