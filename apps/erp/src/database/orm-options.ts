import { appOrmOptions, type DatabasePlace } from '@kernel/app';
import { BalanceEntity } from '../balances/balance.entity.js';
import { InvoiceEntity } from '../invoices/invoice.entity.js';
import { PostingEntity } from '../invoices/posting.entity.js';
import { erpMigrations } from '../migrations/index.js';

export function ormOptions(place: DatabasePlace) {
  return appOrmOptions(place, { entities: [InvoiceEntity, PostingEntity, BalanceEntity], migrations: erpMigrations });
}
