import { EXIT_CODES } from './exit-codes.js';

/** Ends the command with one line for people and a code for scripts. */
export abstract class CliError extends Error {
  abstract readonly exitCode: number;
}

/** The API said no, or the answer is one that a script must not take for a success. */
export class FailedError extends CliError {
  readonly exitCode = EXIT_CODES.failed;
}

export class UsageError extends CliError {
  readonly exitCode = EXIT_CODES.usage;
}

export class UnreachableError extends CliError {
  readonly exitCode = EXIT_CODES.unreachable;
}
