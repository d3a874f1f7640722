import { schemaOrmOptions } from '@kernel/app';
import { inboxMigrations } from '@kernel/inbox';
import { projectionMigrations } from './migrations/index.js';

/** Tables of another service: an inbox and the projection, nothing of the kernel. */
export function projectionOrmOptions(databaseUrl: string) {
  return schemaOrmOptions(databaseUrl, {
    schema: 'projection',
    migrations: [...projectionMigrations, ...inboxMigrations],
  });
}
