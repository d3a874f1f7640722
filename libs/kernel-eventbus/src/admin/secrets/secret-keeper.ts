import { InvalidSecretError, PostgresSecretVault, type StoredSecret } from '@kernel/secrets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { appendEntries } from '../../audit/append-entries.sql.js';
import { problems } from '../../http/problem.exception.js';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { adminEntry } from '../admin-entry.js';

export interface SecretToKeep {
  tenantId: string;
  alias: string;
  /** Default: one is made. */
  value?: string;
}

/** Puts signing secrets into the vault, each with its ledger entry, which names alias and version alone. */
@Injectable()
export class SecretKeeper {
  constructor(private readonly vault: PostgresSecretVault) {}

  /** In the caller's transaction. */
  async keep(principal: AdminPrincipal, secret: SecretToKeep, em: EntityManager): Promise<StoredSecret> {
    const stored = await this.vault.put(secret, em).catch((error: unknown) => {
      throw error instanceof InvalidSecretError ? problems.invalid('value', error.message) : error;
    });
    const { alias, version } = stored;
    await appendEntries(em.getKysely(), [
      adminEntry(principal, { kind: 'secret-put', tenantId: secret.tenantId, detail: { alias, version } }),
    ]);
    return stored;
  }
}
