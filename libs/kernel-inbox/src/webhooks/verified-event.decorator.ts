import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { InboxEvent } from '../verification/inbox-event.js';

/** Kept beside the requests, not in them, so no client input can pass for a verified event. */
const verified = new WeakMap<object, InboxEvent>();

export function keepVerified(request: object, event: InboxEvent): void {
  verified.set(request, event);
}

/** The event of this request, verified by `@ReceivesWebhooks()`. */
export const VerifiedEvent = createParamDecorator((_data: unknown, context: ExecutionContext): InboxEvent => {
  const event = verified.get(context.switchToHttp().getRequest<object>());
  if (!event) {
    throw new Error('@VerifiedEvent() needs @ReceivesWebhooks() on the same method: nothing is verified here');
  }
  return event;
});
