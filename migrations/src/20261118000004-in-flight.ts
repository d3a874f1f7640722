import { Migration } from '@mikro-orm/migrations';

/**
 * A worker lists the deliveries that it has started to send: only these are suspect after a crash. The number of
 * crashes at which a delivery was in flight decides the size of the group in which it is retried. The list is written
 * many times a second, so it stays in its row.
 */
export class Migration20261118000004InFlight extends Migration {
  override name = '20261118000004-in-flight';

  override up(): void {
    this.addSql(`alter table kernel_worker add column in_flight uuid[] not null default '{}'`);
    this.addSql(`alter table kernel_worker alter column in_flight set storage main`);
    this.addSql(`alter table kernel_webhook_delivery add column crashes int not null default 0`);
  }

  override down(): void {
    this.addSql(`alter table kernel_webhook_delivery drop column crashes`);
    this.addSql(`alter table kernel_worker drop column in_flight`);
  }
}
