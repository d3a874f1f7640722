/** The input is unusable; nothing was written. Names the line and its problem, never a value. */
export class InputRejectedError extends Error {
  readonly code = 'HYDROLOGY_INPUT_REJECTED';

  constructor(problem: string, options?: ErrorOptions) {
    super(`the input cannot be used: ${problem}`, options);
    this.name = 'InputRejectedError';
  }
}
