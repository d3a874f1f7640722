import type { MikroORM } from '@mikro-orm/postgresql';
import type { EventBusConfig } from '../eventbus.config.js';
import { MigrationsRefusedError } from '../eventbus.errors.js';
import { migrate } from './migrate.js';

const INSUFFICIENT_PRIVILEGE = '42501';

/** Provided once the migrations of `migrations: 'run'` are applied. */
export class AppliedMigrations {}

/** Nest creates all providers before it runs a lifecycle hook, so every hook finds the tables. */
export async function runMigrations(orm: MikroORM, { migrations }: EventBusConfig): Promise<AppliedMigrations> {
  if (migrations === 'run') {
    try {
      await migrate(orm);
    } catch (error) {
      // Nest does not close what it could not create; open connections would keep the process alive.
      await orm.close(true);
      throw refusalOf(error) ?? error;
    }
  }
  return new AppliedMigrations();
}

function refusalOf(error: unknown): MigrationsRefusedError | undefined {
  const { code, message = '' } = error as { code?: string; message?: string };
  return code === INSUFFICIENT_PRIVILEGE ? new MigrationsRefusedError(message, { cause: error }) : undefined;
}
