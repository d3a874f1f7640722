import { RetryableTransactionError } from '../eventbus.errors.js';
import { isLostConnection } from '../runtime/transient-fault.js';

const ROLLED_BACK = new Set(['40001', '40P01', '26000', '42P05']);
/** What PostgreSQL calls a connection that was lost; the driver's error has a code of its own, or none. */
const CONNECTION_FAILURE = '08006';
const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * PostgreSQL ended the transaction for no fault of its own, or is gone, before the commit was sent: run again from its beginning, it may
 * succeed.
 */
export function teachRetry(error: unknown): never {
  const { code } = (error ?? {}) as { code?: unknown };
  const sqlState = typeof code === 'string' && SQLSTATE.test(code) ? code : undefined;
  if (sqlState !== undefined && ROLLED_BACK.has(sqlState)) {
    throw new RetryableTransactionError(sqlState, { cause: error });
  }
  throw isLostConnection(error)
    ? new RetryableTransactionError(sqlState ?? CONNECTION_FAILURE, { cause: error })
    : error;
}
