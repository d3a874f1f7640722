/** What may be logged of an error. */
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
 * Beyond the first line of its message, at the end of that line and in its other properties a driver's error quotes rows
 * and parameters, which are anybody's data: of those nothing is kept.
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

/** For the ledger and for operators: one line, never a row. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : 'unknown fault';
  const line = message.split('\n', 1)[0]!.replace(/\s+- detail: .*$/, '');
  return isDatabaseError(error) ? line.replace(/: ".*$/, '') : line;
}

/** PostgreSQL's errors have a SQLSTATE, and may end in the value that was wrong. */
function isDatabaseError(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
}

/** Without the message, which a stack begins with. */
function framesOf({ stack = '' }: Error): string[] {
  return stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, MAX_FRAMES);
}
