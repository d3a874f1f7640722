export { Clock } from './clock.js';
export { type Fault, faultOf, firstLine } from './fault.js';
export { IntervalJob } from './interval-job.js';
export { LoopTurns } from './loop-turns.js';
export { newId } from './new-id.js';
export { columnsOf, plainArray, textArray } from './postgres/array-literal.js';
export {
  type Connection,
  STATEMENT_MS,
  UPKEEP_STATEMENT_MS,
  answerWithin,
  connectEngine,
  releaseConnection,
} from './postgres/engine-connection.js';
export { engineDatabase } from './postgres/engine-database.js';
export { type Statement, executeHot } from './postgres/hot-statement.js';
export { DONE_AGAIN_IF_LOST, PLANNED_EACH_TIME, inHotTransaction } from './postgres/hot-transaction.js';
export { LostConnections } from './postgres/lost-connections.js';
export { PoolerWatch } from './postgres/pooler-watch.js';
export { executeAlone, executePrepared, part, prepared } from './postgres/prepared.js';
export { readCommitted } from './postgres/read-committed.js';
export { type OpenTransaction, readThenWrite } from './postgres/read-then-write.js';
export { SilentConnections } from './postgres/silent-connections.js';
export { StatementNames, namesOf, registerNames } from './postgres/statement-names.js';
export { isLockTimeout, isLostConnection, isTransient } from './postgres/transient-fault.js';
export { TransientRetry } from './postgres/transient-retry.js';
export { takeRandomBytes } from './random-bytes.js';
export { Random } from './random.js';
