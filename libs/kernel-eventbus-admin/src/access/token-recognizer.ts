import { EntityManager, raw } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AdminTokenEntity, EventBusConfig } from '@kernel/eventbus/engine';
import { AdminPrincipal } from './admin-principal.js';
import { hashToken, isSameHash } from './bearer-token.js';

const CONFIGURED_TOKEN_ACTOR = 'admin-token';

/** Limit of tokens remembered as valid; beyond it the least recently used is forgotten. */
const MAX_KNOWN = 1_000;

/** Resolves a token to its principal. Reads the database each time, so a revocation takes effect at once. */
@Injectable()
export class TokenRecognizer {
  /** Hashes of known tokens. */
  readonly #known = new Set<string>();

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
  ) {}

  /** True if the token was valid recently or is the configured one; it may have been revoked since. */
  isKnown(token: string): boolean {
    const tokenHash = hashToken(token);
    return this.#known.has(tokenHash) || this.isConfigured(tokenHash);
  }

  async recognize(token: string): Promise<AdminPrincipal | undefined> {
    const tokenHash = hashToken(token);
    if (this.isConfigured(tokenHash)) {
      const name = CONFIGURED_TOKEN_ACTOR;
      return new AdminPrincipal({ actor: name, name, role: 'operator', tenantId: null });
    }
    // Lookup by hash: its timing may reveal hashes, but a hash does not reveal the token.
    const stored = await this.em.fork().findOne(AdminTokenEntity, {
      ...{ tokenHash, revokedAt: null },
      $or: [{ expiresAt: null }, { expiresAt: { $gt: raw('clock_timestamp()') } }],
    });
    this.#known.delete(tokenHash);
    if (!stored || !isSameHash(tokenHash, stored.tokenHash)) {
      return undefined;
    }
    this.remember(tokenHash);
    return new AdminPrincipal({
      ...stored,
      actor: `${stored.name} (${stored.tokenId})`,
      tenantId: stored.tenantId ?? null,
    });
  }

  private isConfigured(tokenHash: string): boolean {
    const { adminToken } = this.config;
    return adminToken !== undefined && isSameHash(tokenHash, hashToken(adminToken));
  }

  private remember(tokenHash: string): void {
    if (this.#known.size >= MAX_KNOWN) {
      this.#known.delete(this.#known.values().next().value!);
    }
    this.#known.add(tokenHash);
  }
}
