import { Module } from '@nestjs/common';
import { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } from './inbox.module-definition.js';
import { InboxConfig, readInboxOptions } from './inbox.options.js';
import { Inbox } from './reception/inbox.js';
import { MarkKeeper } from './retention/mark-keeper.js';
import { WebhookGuard } from './webhooks/webhook.guard.js';

/** Needs MikroORM's EntityManager and the table of `inboxMigrations` in its database. Global by default. */
@Module({
  providers: [
    { provide: InboxConfig, useFactory: readInboxOptions, inject: [MODULE_OPTIONS_TOKEN] },
    Inbox,
    WebhookGuard,
    MarkKeeper,
  ],
  exports: [Inbox, WebhookGuard],
})
export class InboxModule extends ConfigurableModuleClass {}
