import { eventBusEntities, kernelMigrations } from '@kernel/eventbus';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { BalanceEntity } from '../balances/balance.entity.js';
import { InvoiceEntity } from '../invoices/invoice.entity.js';
import { PostingEntity } from '../invoices/posting.entity.js';
import { erpMigrations } from '../migrations/index.js';

/** Requests, routing and recording share it; each holds a connection for milliseconds. */
const POOL_SIZE = 20;

/** Where the tables are, and as whom to go there. */
export interface DatabasePlace {
  databaseUrl: string;
  /** Taken on by every connection. Default: none, the user of the URL. */
  databaseRole?: string;
}

export function ormOptions({ databaseUrl, databaseRole }: DatabasePlace) {
  return defineConfig({
    driver: PostgreSqlDriver,
    clientUrl: databaseUrl,
    // A slip in the URL must not make a new, empty database.
    ensureDatabase: false,
    entities: [...eventBusEntities, InvoiceEntity, PostingEntity, BalanceEntity],
    extensions: [Migrator],
    migrations: { migrationsList: [...kernelMigrations, ...erpMigrations], snapshot: false, silent: true },
    pool: { min: 0, max: POOL_SIZE },
    driverOptions: databaseRole ? { options: `-c role=${databaseRole}` } : {},
  });
}
