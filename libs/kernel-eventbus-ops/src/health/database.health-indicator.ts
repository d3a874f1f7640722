import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import { sql } from 'kysely';
import { upOrDown } from './up-or-down.js';

/** Queries the database. Terminus' own indicator reports a connection as down that MikroORM has not opened yet. */
@Injectable()
export class DatabaseHealthIndicator {
  constructor(private readonly em: EntityManager) {}

  check<Key extends string>(key: Key, timeoutMs: number): Promise<HealthIndicatorResult<Key>> {
    return upOrDown(key, timeoutMs, () => this.ping());
  }

  private async ping(): Promise<void> {
    await sql`select 1`.execute(this.em.fork().getKysely()).catch(() => {
      // The original error may name hosts and users, and this response is public.
      throw new Error('the database does not answer');
    });
  }
}
