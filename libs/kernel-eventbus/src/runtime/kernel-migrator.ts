import { kernelMigrations } from '@kernel/migrations';
import { Migrator } from '@mikro-orm/migrations';
import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Applies the kernel's migrations, whether or not the host lists them: MikroORM's migrator reads either a list or files.
 * Both write to the same table, which finds a migration by its name.
 */
export class KernelMigrator extends Migrator {
  protected override readonly options: Migrator['options'];

  constructor(em: EntityManager) {
    super(em);
    this.options = { ...em.config.get('migrations'), migrationsList: [...kernelMigrations], snapshot: false };
    this.initServices();
  }
}

/** Names of the kernel's migrations, oldest first. */
export function kernelMigrationNames(em: EntityManager): string[] {
  return kernelMigrations.map((Kernel) => new Kernel(em.getDriver(), em.config).name);
}
