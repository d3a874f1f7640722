import { PolicyStore } from '@kernel/privacy';
import { LastingKey, PostgresSecretVault, SecretsConfig, verifyMasterKey } from '@kernel/secrets';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { engineDatabase } from '@kernel/runtime';
import { requireEntities, requireEqualOrmVersions, requireMigrations } from './host-checks.js';
import { KernelEntities } from './kernel-entities.js';
import { findCreatableSchema, ownsTables } from './owns-tables.sql.js';

/**
 * Stops the startup on errors that would be less clear later: entities or migrations that are missing, a master key of
 * another database.
 */
@Injectable()
export class StartChecks implements OnModuleInit {
  readonly #logger = new Logger(StartChecks.name);
  #passed: Promise<void> | undefined;

  constructor(
    private readonly em: EntityManager,
    private readonly secrets: SecretsConfig,
    private readonly lastingKey: LastingKey,
    private readonly entities: KernelEntities,
    vault: PostgresSecretVault,
    policies: PolicyStore,
  ) {
    // Lookups of secrets and policies for deliveries use the engine's deadlines.
    const reader = { getKysely: () => engineDatabase(em) } as Pick<EntityManager, 'getKysely'>;
    vault.readThrough(reader);
    policies.readThrough(reader);
  }

  async onModuleInit(): Promise<void> {
    await this.pass();
    await this.warnOfRights(this.em.fork().getKysely());
  }

  /** For hooks that read tables: Nest runs the hooks of a module side by side, and theirs may fail first. */
  pass(): Promise<void> {
    return (this.#passed ??= this.check());
  }

  private async warnOfRights(db: Kysely<unknown>): Promise<void> {
    if (await ownsTables(db)) {
      this.#logger.warn(
        "the app runs as the owner of the kernel's tables, or as a superuser, whom the database refuses nothing: " +
          'let it connect as a member of kernel_app, or with the option -c role=kernel_app (docs/security.md, "Database roles")',
      );
      return;
    }
    const schema = await findCreatableSchema(db);
    if (schema) {
      this.#logger.warn(
        `the app may create functions and tables in the schema ${schema}, which statements of other roles would use: ` +
          `run "revoke create on schema ${schema} from public, kernel_app" as its owner, and revoke it from the app's ` +
          'login if that has the right itself (docs/security.md, "Database roles")',
      );
    }
  }

  private async check(): Promise<void> {
    requireEqualOrmVersions();
    requireEntities(this.em, this.entities);
    await requireMigrations(this.em, this.entities);
    const { masterKey, previousMasterKey } = this.secrets;
    await verifyMasterKey(this.em.fork(), masterKey, previousMasterKey);
    await this.lastingKey.read(this.em.fork(), previousMasterKey ? [masterKey, previousMasterKey] : [masterKey]);
  }
}
