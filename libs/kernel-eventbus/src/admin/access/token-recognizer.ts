import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '../../eventbus.options.js';
import { AdminTokenEntity } from '../tokens/admin-token.entity.js';
import { AdminPrincipal } from './admin-principal.js';
import { hashToken, isSameHash } from './bearer-token.js';

const CONFIGURED_TOKEN_ACTOR = 'admin-token';

/** Tells whose token it is. Looks anew each time, so that a revoked token ends at once. */
@Injectable()
export class TokenRecognizer {
  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
  ) {}

  async recognize(token: string): Promise<AdminPrincipal | undefined> {
    const { adminToken } = this.config;
    const tokenHash = hashToken(token);
    if (adminToken && isSameHash(tokenHash, hashToken(adminToken))) {
      return new AdminPrincipal({ actor: CONFIGURED_TOKEN_ACTOR, role: 'operator', tenantId: null });
    }
    // Found by its hash: how long the look takes may tell of hashes, and a hash leads to no token.
    const stored = await this.em.fork().findOne(AdminTokenEntity, { tokenHash, revokedAt: null });
    return stored && isSameHash(tokenHash, stored.tokenHash)
      ? new AdminPrincipal({
          ...stored,
          actor: `${stored.name} (${stored.tokenId})`,
          tenantId: stored.tenantId ?? null,
        })
      : undefined;
  }
}
