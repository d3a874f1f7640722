import { Migration } from '@mikro-orm/migrations';

/** Predicates of an endpoint on its subscribed types; without any, it gets all their events. */
export class Migration20261116000011Subscriptions extends Migration {
  override name = '20261116000011-subscriptions';

  override up(): void {
    this.addSql(`alter table kernel_webhook_endpoint add column subscriptions jsonb not null default '[]'`);
  }

  override down(): void {
    this.addSql(`alter table kernel_webhook_endpoint drop column subscriptions`);
  }
}
