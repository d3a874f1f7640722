import {
  InvalidSecretError,
  PostgresSecretVault,
  SecretKindMismatchError,
  TooManyLiveVersionsError,
  type NewSecret,
  type RotatedSecret,
  type StoredSecret,
} from '@kernel/secrets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { appendEntries, type LedgerKind } from '@kernel/ledger';
import { refusals } from '../../eventbus.refusals.js';
import type { Caller } from '../../access/caller.js';
import { TenantScope } from '../../access/tenant-scope.js';
import { callerEntry } from '../caller-entry.js';
import { TenantBudgets } from '../budgets/tenant-budgets.js';

export interface VersionToRevoke {
  /** Undefined: the tenant that has the alias, if only one does. */
  tenantId: string | undefined;
  alias: string;
  version: number;
}

/** Stores, rotates and revokes secrets in the vault. Each ledger entry names only alias and version. */
@Injectable()
export class SecretKeeper {
  constructor(
    private readonly scope: TenantScope,
    private readonly vault: PostgresSecretVault,
    private readonly budgets: TenantBudgets,
  ) {}

  /** In the caller's transaction. */
  async keep(caller: Caller, secret: NewSecret, em: EntityManager): Promise<StoredSecret> {
    const stored = await this.vault.put(secret, em).catch(asProblem);
    const { alias, version } = stored;
    this.budgets.checkSecretVersion(caller, version);
    await this.budgets.checkSecrets(em, caller);
    await this.note(em, caller, 'secret-put', secret.tenantId, { alias, version });
    return stored;
  }

  /** In the caller's transaction. */
  async rotate(
    caller: Caller,
    secret: NewSecret & { overlapSeconds: number },
    em: EntityManager,
  ): Promise<RotatedSecret> {
    const rotated = await this.vault.rotate(secret, em).catch(asProblem);
    const { alias, version, overlapping } = rotated;
    this.budgets.checkSecretVersion(caller, version);
    await this.note(em, caller, 'secret-rotated', secret.tenantId, { alias, version, overlapping });
    return rotated;
  }

  /** False if there is no such version; true, without effect, if it was already revoked. */
  revoke(caller: Caller, { tenantId, alias, version }: VersionToRevoke): Promise<boolean> {
    return this.scope.write(caller, async (em) => {
      const owner = tenantId ?? (await this.onlyOwner(alias, version, em));
      if (owner === undefined || !(await this.vault.revoke(owner, alias, version, em))) {
        return this.vault.isRevoked(tenantId, alias, version, em);
      }
      await this.note(em, caller, 'secret-revoked', owner, { alias, version });
      return true;
    });
  }

  private async onlyOwner(alias: string, version: number, em: EntityManager): Promise<string | undefined> {
    const [owner, another] = await this.vault.tenantsOf(alias, version, em);
    if (another !== undefined) {
      throw refusals.invalid('tenantId', 'several tenants have this alias: say whose version is to be revoked');
    }
    return owner;
  }

  private note(
    em: EntityManager,
    caller: Caller,
    kind: LedgerKind,
    tenantId: string,
    detail: Record<string, unknown>,
  ): Promise<void> {
    return appendEntries(em.getKysely(), [callerEntry(caller, { kind, tenantId, detail })]);
  }
}

function asProblem(error: unknown): never {
  if (error instanceof InvalidSecretError) {
    throw refusals.invalid('value', error.message);
  }
  if (error instanceof SecretKindMismatchError || error instanceof TooManyLiveVersionsError) {
    throw refusals.conflict(error.message);
  }
  throw error;
}
