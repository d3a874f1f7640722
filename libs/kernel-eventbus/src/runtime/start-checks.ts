import { PolicyStore } from '@kernel/privacy';
import { LastingKey, PostgresSecretVault, SecretsConfig, verifyMasterKey } from '@kernel/secrets';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { KernelTablesMissingError } from '../eventbus.errors.js';
import { engineDatabase } from '@kernel/runtime';
import { ownsTables } from './owns-tables.sql.js';

const UNDEFINED_TABLE = '42P01';

/** Stops the startup on errors that would be less clear later: missing tables, a master key of another database. */
@Injectable()
export class StartChecks implements OnModuleInit {
  readonly #logger = new Logger(StartChecks.name);
  #passed: Promise<void> | undefined;

  constructor(
    private readonly em: EntityManager,
    private readonly secrets: SecretsConfig,
    private readonly lastingKey: LastingKey,
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
    if (await ownsTables(this.em.fork().getKysely())) {
      this.#logger.warn(
        "the app runs as the owner of the kernel's tables, or as a superuser, whom the database refuses nothing: " +
          'let it connect as a member of kernel_app, or with the option -c role=kernel_app (docs/security.md, "Database roles")',
      );
    }
  }

  /** For hooks that read tables: Nest runs the hooks of a module side by side, and theirs may fail first. */
  pass(): Promise<void> {
    return (this.#passed ??= this.check());
  }

  private async check(): Promise<void> {
    try {
      const { masterKey, previousMasterKey } = this.secrets;
      await verifyMasterKey(this.em.fork(), masterKey, previousMasterKey);
      await this.lastingKey.read(this.em.fork(), previousMasterKey ? [masterKey, previousMasterKey] : [masterKey]);
    } catch (error) {
      throw isUndefinedTable(error) ? new KernelTablesMissingError({ cause: error }) : error;
    }
  }
}

function isUndefinedTable(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: unknown };
  return code === UNDEFINED_TABLE || (cause instanceof Error && isUndefinedTable(cause));
}
