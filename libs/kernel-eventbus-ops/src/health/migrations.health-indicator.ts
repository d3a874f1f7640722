import { kernelMigrations } from '@kernel/migrations';
import { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import type { Kysely } from 'kysely';
import { eventBusEntities } from '@kernel/eventbus';
import { upOrDown } from './up-or-down.js';
import { findMissingTables, findUnappliedMigrations } from './schema.sql.js';

/**
 * Up if every kernel migration is applied; the host's own migrations are not checked. Does not use the Migrator's
 * `getPending`, which creates a missing folder or table.
 */
@Injectable()
export class MigrationsHealthIndicator {
  constructor(
    private readonly orm: MikroORM,
    private readonly em: EntityManager,
  ) {}

  check<Key extends string>(key: Key, timeoutMs: number): Promise<HealthIndicatorResult<Key>> {
    return upOrDown(key, timeoutMs, () => this.requireNothingPending());
  }

  private async requireNothingPending(): Promise<void> {
    const pending = await this.pending().catch(() => {
      // The original error may name hosts and users, and this response is public.
      throw new Error('the database did not say which migrations are applied');
    });
    if (pending.length > 0) {
      throw new Error(`pending: ${pending.join(', ')}`);
    }
  }

  private async pending(): Promise<string[]> {
    const db: Kysely<unknown> = this.em.fork().getKysely();
    const { tableName = 'mikro_orm_migrations', schema } = this.orm.config.get('migrations');
    const names = this.listedMigrations();
    if (names.length > 0) {
      return findUnappliedMigrations(db, schema ? [schema, tableName] : [tableName], names);
    }
    // The host applies the migrations another way, so the tables serve as evidence.
    return findMissingTables(
      db,
      eventBusEntities.map(({ meta }) => meta.tableName),
    );
  }

  /** Names of the kernel's migrations in MikroORM's configuration. */
  private listedMigrations(): string[] {
    const kernel = new Set<unknown>(kernelMigrations);
    const { migrationsList = [] } = this.orm.config.get('migrations');
    return migrationsList
      .map((listed) => (typeof listed === 'function' ? { class: listed, name: undefined } : listed))
      .filter((listed) => kernel.has(listed.class))
      .map((listed) => listed.name ?? new listed.class(this.em.getDriver(), this.orm.config).name ?? listed.class.name);
  }
}
