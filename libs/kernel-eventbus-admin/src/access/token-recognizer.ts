import { EntityManager, raw } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { AdminTokenEntity, EventBusConfig } from '@kernel/eventbus/engine';
import { AdminPrincipal } from './admin-principal.js';
import { hashToken, isSameHash } from './bearer-token.js';
import { TokenSeal } from './token-seal.js';

const CONFIGURED_TOKEN_ACTOR = 'admin-token';

/** Limit of tokens remembered; beyond it the oldest is forgotten. */
const MAX_KNOWN = 1_000;

/** Resolves a token to its principal. Reads the database each time, so a revocation takes effect at once. */
@Injectable()
export class TokenRecognizer {
  readonly #logger = new Logger(TokenRecognizer.name);
  /** Hashes of known tokens. */
  readonly #known = new Set<string>();
  /** Ids of rows already logged as not issued by the application. */
  readonly #reported = new Set<string>();

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly seal: TokenSeal,
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
    const stored = await this.em.fork().findOne(
      AdminTokenEntity,
      {
        ...{ tokenHash, revokedAt: null },
        $or: [{ expiresAt: null }, { expiresAt: { $gt: raw('clock_timestamp()') } }],
      },
      { filters: false },
    );
    this.#known.delete(tokenHash);
    if (!stored || !isSameHash(tokenHash, stored.tokenHash)) {
      return undefined;
    }
    if (!this.seal.isOn(stored)) {
      this.report(stored.tokenId);
      return undefined;
    }
    remember(this.#known, tokenHash);
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

  private report(tokenId: string): void {
    if (!this.#reported.has(tokenId)) {
      remember(this.#reported, tokenId);
      this.#logger.warn({ msg: 'a token is refused: its row was not issued by the application', tokenId });
    }
  }
}

function remember(values: Set<string>, value: string): void {
  if (values.size >= MAX_KNOWN) {
    values.delete(values.values().next().value!);
  }
  values.add(value);
}
