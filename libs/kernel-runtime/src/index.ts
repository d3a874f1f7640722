/** Time, background jobs, HTTP exchanges and PostgreSQL access of the packages of the kernel. */
export { Clock } from './clock.js';
export { newId } from './new-id.js';
export { Random } from './random.js';
export { takeRandomBytes } from './random-bytes.js';
export { type FieldIssue, type IssueList, describeIssues, listIssues } from './list-issues.js';

// Jobs and their faults
export { IntervalJob } from './interval-job.js';
export { LoopTurns } from './loop-turns.js';
export { faultOf, firstLine } from './fault.js';
export { logLine } from './log-line.js';

// Requests and responses, and the controllers that answer them
export { Exchange } from './http/exchange.js';
export { type ControllerOptions, configureController } from './http/configure-controller.js';

// Connections and their deadlines
export { engineDatabase } from './postgres/engine-database.js';
export {
  type Connection,
  STATEMENT_MS,
  UPKEEP_STATEMENT_MS,
  answerWithin,
  connectEngine,
  releaseConnection,
  sendTogether,
} from './postgres/engine-connection.js';
export { LostConnections } from './postgres/lost-connections.js';
export { SilentConnections } from './postgres/silent-connections.js';
export { PoolerWatch } from './postgres/pooler-watch.js';

// Statements
export { columnsOf, plainArray, textArray } from './postgres/array-literal.js';
export { type Part, executeAlone, executePrepared, part, prepared } from './postgres/prepared.js';
export { StatementNames, namesOf, registerNames } from './postgres/statement-names.js';
export { type Statement, executeHot } from './postgres/hot-statement.js';

// Transactions and retries
export { readCommitted } from './postgres/read-committed.js';
export { DONE_AGAIN_IF_LOST, PLANNED_EACH_TIME, inHotTransaction } from './postgres/hot-transaction.js';
export { type OpenTransaction, readThenWrite } from './postgres/read-then-write.js';
export { isLockTimeout, isLostConnection, isTransient } from './postgres/transient-fault.js';
export { TransientRetry } from './postgres/transient-retry.js';
