import { Injectable } from '@nestjs/common';
import type { Handoff, HandoffResult, WebhookDispatcher } from './webhook-dispatcher.js';

export const HTTP_DISPATCHER = 'http';

/** FR-013: invokes the endpoint over HTTP at once. */
@Injectable()
export class HttpDispatcher implements WebhookDispatcher {
  readonly name = HTTP_DISPATCHER;

  /** Required by the interface. The engine does not call it: `DispatchRunner` skips the handoff. */
  async dispatch(handoff: Handoff): Promise<HandoffResult> {
    await handoff.invoke();
    return { status: 'accepted' };
  }
}
