import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { InboxEvent } from '../verification/inbox-event.js';

/** Beside the requests, not in them: nothing that a client sends can pass for it. */
const verified = new WeakMap<object, InboxEvent>();

export function keepVerified(request: object, event: InboxEvent): void {
  verified.set(request, event);
}

/** The event of this request, whose signature `@ReceivesWebhooks()` has verified. */
export const VerifiedEvent = createParamDecorator((_data: unknown, context: ExecutionContext): InboxEvent => {
  const event = verified.get(context.switchToHttp().getRequest<object>());
  if (!event) {
    throw new Error('@VerifiedEvent() needs @ReceivesWebhooks() on the same method: nothing is verified here');
  }
  return event;
});
