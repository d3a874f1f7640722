import { Migration20261116100001Invoices } from './20261116100001-invoices.js';
import { Migration20261116100002Balances } from './20261116100002-balances.js';
import { Migration20261116100003Rights } from './20261116100003-rights.js';

/** The ERP's own tables; run after the kernel's migrations. */
export const erpMigrations = [
  Migration20261116100001Invoices,
  Migration20261116100002Balances,
  Migration20261116100003Rights,
];
