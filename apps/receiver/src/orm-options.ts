import { schemaOrmOptions } from '@kernel/app';
import { inboxMigrations } from '@kernel/inbox';
import { receiverMigrations } from './migrations/index.js';

export function ormOptions(databaseUrl: string) {
  return schemaOrmOptions(databaseUrl, {
    schema: 'receiver',
    migrations: [...receiverMigrations, ...inboxMigrations],
    connectTimeoutMs: 5_000,
  });
}
