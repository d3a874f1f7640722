import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '../../eventbus.options.js';
import { AdminTokenEntity } from '../tokens/admin-token.entity.js';
import { AdminPrincipal } from './admin-principal.js';
import { hashToken, isSameToken } from './bearer-token.js';

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
    if (adminToken && isSameToken(token, adminToken)) {
      return new AdminPrincipal({ actor: CONFIGURED_TOKEN_ACTOR, role: 'operator', tenantId: null });
    }
    const stored = await this.em.fork().findOne(AdminTokenEntity, { tokenHash: hashToken(token), revokedAt: null });
    return stored
      ? new AdminPrincipal({
          ...stored,
          actor: `${stored.name} (${stored.tokenId})`,
          tenantId: stored.tenantId ?? null,
        })
      : undefined;
  }
}
