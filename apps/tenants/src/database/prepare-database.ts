import { migrate } from '@kernel/eventbus';
import { MikroORM } from '@mikro-orm/postgresql';
import { ormOptions } from './orm-options.js';

/** Applies pending migrations as the owner of the tables, on connections of its own. */
export async function prepareDatabase(databaseUrl: string): Promise<void> {
  const orm = await MikroORM.init({ ...ormOptions({ databaseUrl }), pool: { min: 0, max: 2 } });
  try {
    await migrate(orm);
  } finally {
    await orm.close(true);
  }
}
