import type { Exchange } from '@kernel/runtime';
import type { OperationStarted } from '@kernel/eventbus';

/** 200 with a count after a dry run, otherwise 202 with the operation's id. */
export function answerStarted(started: OperationStarted, exchange: Exchange): OperationStarted {
  exchange.status = started.count === undefined ? 202 : 200;
  return started;
}
