import { withOrm } from '@kernel/app';
import { selectRights } from './select-rights.sql.js';
import { ormOptions } from './orm-options.js';

const APP_ROLE = 'kernel_app';

/**
 * The role to switch to if the database user has more rights than the app needs. Undefined if it has no more, or may
 * not switch: then the app runs as that user, and the kernel logs it at startup.
 */
export async function findAppRole(databaseUrl: string): Promise<string | undefined> {
  return withOrm(ormOptions({ databaseUrl }), async (orm) => {
    const { isPowerful, mayTakeRole } = await selectRights(orm.em.fork().getKysely(), APP_ROLE);
    return isPowerful && mayTakeRole ? APP_ROLE : undefined;
  });
}
