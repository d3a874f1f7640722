import { Injectable } from '@nestjs/common';
import { keptTraceId } from '../../trace/trace-context.js';

/** AC8: the id shared by everything that one request, job or command causes. */
@Injectable()
export class CorrelationIdProvider {
  /**
   * The id of the running request or `runWithTrace`. Outside of both, one is generated once and kept for all later and
   * awaited work of the caller. A process that runs several jobs in sequence needs a `runWithTrace` for each.
   */
  current(): string {
    return keptTraceId();
  }
}
