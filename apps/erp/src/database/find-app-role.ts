import { MikroORM } from '@mikro-orm/postgresql';
import { selectRights } from './select-rights.sql.js';
import { ormOptions } from './orm-options.js';

const APP_ROLE = 'kernel_app';

/**
 * The role to take on where the database's user could do more than the app needs. Undefined when it can do no more, or may not
 * take the role on: then the app runs as it is, and the kernel says so at the start.
 */
export async function findAppRole(databaseUrl: string): Promise<string | undefined> {
  const orm = await MikroORM.init({ ...ormOptions({ databaseUrl }), pool: { min: 0, max: 1 } });
  try {
    const { isPowerful, mayTakeRole } = await selectRights(orm.em.fork().getKysely(), APP_ROLE);
    return isPowerful && mayTakeRole ? APP_ROLE : undefined;
  } finally {
    await orm.close(true);
  }
}
