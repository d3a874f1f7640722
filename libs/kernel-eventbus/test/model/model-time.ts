import type { TestDatabase } from '@kernel/test-support/test-database';

const HOUR_MS = 3_600_000;

/** In hours, so the real duration of a command is negligible. No sum of whole hours equals a limit. */
export const TIMES = {
  silentMs: 7.5 * HOUR_MS,
  leaseMs: 10.3 * HOUR_MS,
  retryMs: HOUR_MS,
  /** Interval of heartbeats and lease renewals. */
  beatHours: 2,
};

/**
 * Time that advances by command: workers read it here, and timestamps in the database are moved back by the same
 * amount.
 */
export class ModelTime {
  #nowMs = 0;

  get nowMs(): number {
    return this.#nowMs;
  }

  async pass(database: TestDatabase, hours: number): Promise<void> {
    const older = (column: string) => `${column} = ${column} - interval '${hours} hours'`;
    await database.query(`update kernel_worker set ${older('heartbeat_at')}`);
    await database.query(
      `update kernel_webhook_delivery set ${older('lease_until')}, ${older('next_attempt_at')}
       where status in ('PENDING', 'FAILED')`,
    );
    await database.query(`update kernel_lane set ${older('lease_until')}, ${older('ready_at')}`);
    this.#nowMs += hours * HOUR_MS;
  }
}
