import { EXIT_CODES } from './exit-codes.js';

/** Ends the command with a one-line message and an exit code for scripts. */
export abstract class CliError extends Error {
  abstract readonly exitCode: number;
}

/** The API refused, or its answer must not pass for a success in a script. */
export class FailedError extends CliError {
  readonly exitCode = EXIT_CODES.failed;
}

export class UsageError extends CliError {
  readonly exitCode = EXIT_CODES.usage;
}

export class UnreachableError extends CliError {
  readonly exitCode = EXIT_CODES.unreachable;
}
