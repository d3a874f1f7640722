import { Migration } from '@mikro-orm/migrations';

/**
 * Claims take tenants in turn, separately for first attempts and for retries, and read due rows by time if they can
 * become due later. First attempts are due at once and not part of the new index, so that the hot path does not write
 * it.
 *
 * The conditions on `attempts` and `wake_count` are always true. Only the statement that reads by time repeats them, so
 * that no other one can be planned with these indexes.
 */
export class Migration20261118000003ClaimsInTurn extends Migration {
  override name = '20261118000003-claims-in-turn';

  override up(): void {
    this.addSql(`drop index kernel_webhook_delivery_due_idx`);
    this.addSql(`
      create index kernel_webhook_delivery_due_idx on kernel_webhook_delivery (status, tenant_id, endpoint_id, next_attempt_at)
        where status in ('PENDING', 'FAILED') and not is_parked and lane_id is null and not is_suspect
    `);
    this.addSql(`
      create index kernel_webhook_delivery_retry_idx on kernel_webhook_delivery (next_attempt_at)
        where status = 'FAILED' and not is_parked and lane_id is null and not is_suspect and attempts >= 0
    `);
    this.addSql(`
      create index kernel_lane_due_idx on kernel_lane (ready_at)
        where ready_at is not null and blocked_by is null and not is_parked and not is_suspect and wake_count >= 0
    `);
  }

  override down(): void {
    this.addSql(`drop index kernel_lane_due_idx`);
    this.addSql(`drop index kernel_webhook_delivery_retry_idx`);
    this.addSql(`drop index kernel_webhook_delivery_due_idx`);
    this.addSql(`
      create index kernel_webhook_delivery_due_idx on kernel_webhook_delivery (tenant_id, endpoint_id, status, next_attempt_at)
        where status in ('PENDING', 'FAILED') and not is_parked and lane_id is null and not is_suspect
    `);
  }
}
