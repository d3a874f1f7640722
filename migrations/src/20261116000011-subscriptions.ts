import { Migration } from '@mikro-orm/migrations';

/** What an endpoint wants of the types it subscribes to; none says that it wants all of them. */
export class Migration20261116000011Subscriptions extends Migration {
  override name = '20261116000011-subscriptions';

  override up(): void {
    this.addSql(`alter table kernel_webhook_endpoint add column subscriptions jsonb not null default '[]'`);
  }

  override down(): void {
    this.addSql(`alter table kernel_webhook_endpoint drop column subscriptions`);
  }
}
