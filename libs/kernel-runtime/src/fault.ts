/** The loggable part of an error. */
export interface Fault {
  type: string;
  message: string;
  code?: string;
  stack?: string[];
  cause?: Fault;
}

const MAX_CAUSES = 4;
const MAX_FRAMES = 20;

/**
 * A driver's error quotes rows and parameters after the first line of its message, at the end of that line and in its
 * other properties. They may be confidential, so none of that is kept.
 */
export function faultOf(error: unknown, depth = 0): Fault {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: 'something that is not an Error was thrown' };
  }
  const { code, cause } = error as Error & { code?: unknown };
  return {
    type: error.name,
    message: firstLine(error),
    ...(typeof code === 'string' && { code }),
    stack: framesOf(error),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: faultOf(cause, depth + 1) }),
  };
}

/** One line without row data, for the ledger and for operators. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : 'unknown fault';
  const line = message.split('\n', 1)[0]!.replace(/\s+- detail: .*$/, '');
  return isDatabaseError(error) ? line.replace(/: ".*$/, '') : line;
}

/** PostgreSQL errors have a SQLSTATE and may end with the invalid value. */
function isDatabaseError(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
}

/** Without the message at the start of the stack. */
function framesOf({ stack = '' }: Error): string[] {
  return stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, MAX_FRAMES);
}
