import { RetryableTransactionError } from '../eventbus.errors.js';

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';

/** PostgreSQL ended the transaction in favour of another: whoever runs it again, from its beginning, may succeed. */
export function teachRetry(error: unknown): never {
  const { code } = (error ?? {}) as { code?: unknown };
  throw code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED
    ? new RetryableTransactionError(code, { cause: error })
    : error;
}
