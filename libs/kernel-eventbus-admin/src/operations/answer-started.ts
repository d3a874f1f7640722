import type { Response } from 'express';
import type { OperationStarted } from '@kernel/eventbus';

/** 200 with a count after a dry run, otherwise 202 with the operation's id. */
export function answerStarted(started: OperationStarted, response: Response): OperationStarted {
  response.status(started.count === undefined ? 202 : 200);
  return started;
}
