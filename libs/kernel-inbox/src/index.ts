export { InboxModule } from './inbox.module.js';
export { InboxConfig, type Claim, type InboxKeys, type InboxOptions } from './inbox.options.js';
export { inboxEntities } from './inbox.entities.js';
export { inboxMigrations } from './migrations/index.js';
export {
  EventRefusedError,
  InboxError,
  InboxTransactionRequiredError,
  InvalidInboxOptionsError,
  NotAnEventError,
  RawBodyMissingError,
  SignatureInvalidError,
  StreamGapError,
  type Gap,
} from './inbox.errors.js';

export type { InboxEvent } from './verification/inbox-event.js';
export type { ReceivedMessage } from './verification/received-message.js';
export { Inbox, type Reception, type Work } from './reception/inbox.js';
export type { StreamOrder } from './reception/stream-order.js';

export { ReceivesWebhooks } from './webhooks/receives-webhooks.decorator.js';
export { VerifiedEvent } from './webhooks/verified-event.decorator.js';
export { WebhookGuard } from './webhooks/webhook.guard.js';
export { WebhookRefusedException, type Refusal } from './webhooks/webhook-refused.exception.js';
