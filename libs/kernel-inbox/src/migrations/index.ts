import { Migration20261116000030ProcessedEvent } from './20261116000030-processed-event.js';

/** Every migration of the inbox's table, oldest first, for MikroORM's `migrations.migrationsList`. */
export const inboxMigrations = [Migration20261116000030ProcessedEvent];
