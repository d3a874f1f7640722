import { findPendingMigrations, KernelEntities } from '@kernel/eventbus/engine';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import { upOrDown } from './up-or-down.js';

/** Up if every kernel migration is applied; the host's own migrations are not checked. */
@Injectable()
export class MigrationsHealthIndicator {
  constructor(
    private readonly em: EntityManager,
    private readonly entities: KernelEntities,
  ) {}

  check<Key extends string>(key: Key, timeoutMs: number): Promise<HealthIndicatorResult<Key>> {
    return upOrDown(key, timeoutMs, () => this.requireNothingPending());
  }

  private async requireNothingPending(): Promise<void> {
    const pending = await findPendingMigrations(this.em, this.entities).catch(() => {
      // The original error may name hosts and users, and this response is public.
      throw new Error('the database did not say which migrations are applied');
    });
    if (pending.length > 0) {
      throw new Error(`pending: ${pending.join(', ')}`);
    }
  }
}
