import { RetryableTransactionError } from '../eventbus.errors.js';
import { isLostConnection } from '@kernel/runtime';

const ROLLED_BACK = new Set(['40001', '40P01', '26000', '42P05']);
/** PostgreSQL's code for a lost connection; the driver's error has its own code, or none. */
const CONNECTION_FAILURE = '08006';
const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * Marks errors after which the transaction may succeed if it is run again from its start: PostgreSQL aborted it through
 * no fault of its own, or the connection was lost before the commit was sent.
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
