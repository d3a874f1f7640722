import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type HealthCheckAttempt, HealthIndicatorService } from '@nestjs/terminus';
import { sql } from 'kysely';

/** Terminus' own indicator calls a connection down that MikroORM has not opened yet; this one asks the database. */
@Injectable()
export class DatabaseHealthIndicator {
  constructor(
    private readonly em: EntityManager,
    private readonly indicators: HealthIndicatorService,
  ) {}

  check<const Key extends string>(key: Key, timeoutMs: number): HealthCheckAttempt<Key> {
    return this.indicators
      .check(key)
      .attempt(() => this.ping())
      .withTimeout(timeoutMs);
  }

  private async ping(): Promise<void> {
    await sql`select 1`.execute(this.em.fork().getKysely()).catch(() => {
      // The error's own text could name hosts and users, and this answer is public.
      throw new Error('the database does not answer');
    });
  }
}
