import { Injectable } from '@nestjs/common';
import { keptTraceId } from '../runtime/trace-context.js';

/** AC8: the id under which everything belongs together that one request, job or command causes. */
@Injectable()
export class CorrelationIdProvider {
  /**
   * That of the running request or `runWithTrace`. Outside of both one is generated once and kept: whatever the caller does
   * afterwards, and awaits, has the same. A process that does several things one after the other gives each a
   * `runWithTrace` of its own.
   */
  current(): string {
    return keptTraceId();
  }
}
