import { Migration } from '@mikro-orm/migrations';

/** Marks endpoints disabled by the kernel, which keep their requests in flight, unlike those disabled by hand. */
export class Migration20261118000005DisabledByKernel extends Migration {
  override name = '20261118000005-disabled-by-kernel';

  override up(): void {
    this.addSql(`alter table kernel_webhook_endpoint add column is_disabled_by_kernel boolean not null default false`);
  }

  override down(): void {
    this.addSql(`alter table kernel_webhook_endpoint drop column is_disabled_by_kernel`);
  }
}
