const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * 08: connection lost. 40: rolled back in favour of another transaction. 53: out of connections, memory or disk.
 * 57: shutdown, startup or cancellation. 58: disk failure of the server. 25006: a primary that became a standby.
 * 55P03: lock not available.
 */
const TRANSIENT = /^(08...|40...|53...|57...|58...|25006|55P03)$/;

/** No server accepted the statement, so nothing of it is stored: 57P01 to 57P05, 53300, 25006, and lost connections. */
const LOST = /^(08...|57P0[1-5]|53300|25006)$/;

/** Network error codes, and messages of `pg` and its pool without a code. */
const NETWORK = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ESOCKET)/;
const WITHOUT_CODE = /connection (terminated|error|closed)|not queryable|timeout/i;

/** True if the same statement may succeed later. */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined ? isLostConnection(error) : TRANSIENT.test(code);
}

/** The statement waited too long for a lock: 57014, 55P03. */
export function isLockTimeout(error: unknown): boolean {
  const code = codeOf(error);
  return code === '57014' || code === '55P03';
}

/** The connection is lost, or its server accepts no writes. */
export function isLostConnection(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) {
    return LOST.test(code);
  }
  const { code: networkCode, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  return typeof networkCode === 'string' ? NETWORK.test(networkCode) : WITHOUT_CODE.test(message);
}

function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && SQLSTATE.test(code) && !NETWORK.test(code) ? code : undefined;
}
