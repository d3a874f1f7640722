import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { newId, readCommitted } from '@kernel/runtime';
import { appendEntries } from '@kernel/ledger';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { generateToken, hashToken } from '../access/bearer-token.js';
import { TokenSeal } from '../access/token-seal.js';
import { AdminTokenEntity, type AdminTokenRow, callerEntry } from '@kernel/eventbus/engine';
import { findExpiry, insertToken, revokeToken } from './tokens.sql.js';
import type { NewToken } from './token.dto.js';

export interface IssuedToken {
  row: AdminTokenRow;
  /** The token's text, which cannot be read again. */
  token: string;
}

/** Issues and revokes bearer tokens, each with a ledger entry. */
@Injectable()
export class TokenIssuer {
  constructor(
    private readonly em: EntityManager,
    private readonly seal: TokenSeal,
  ) {}

  /** Without `expiresInSeconds` the token is valid until revoked. */
  issue(
    principal: AdminPrincipal,
    request: NewToken,
    { expiresInSeconds = null }: { expiresInSeconds?: number | null } = {},
  ): Promise<IssuedToken> {
    return readCommitted(this.em, async (em) => {
      const { name, role, tenantId = null } = request;
      const token = generateToken();
      const expiresAt = expiresInSeconds === null ? null : await findExpiry(em.getKysely(), expiresInSeconds);
      const tokenId = newId();
      const facts = { tokenId, tokenHash: hashToken(token), role, tenantId, expiresAt };
      await insertToken(em.getKysely(), { ...facts, name, createdBy: principal.actor, seal: this.seal.of(facts) });
      const row = await em.findOneOrFail(AdminTokenEntity, { tokenId }, { filters: false });
      const after = { name, role, ...(row.expiresAt && { expiresAt: row.expiresAt.toISOString() }) };
      await appendEntries(em.getKysely(), [
        callerEntry(principal, { kind: 'token-created', tenantId, detail: { tokenId, after } }),
      ]);
      return { row, token };
    });
  }

  /** False if there is no such token; true, without effect, if it was already revoked. */
  revoke(principal: AdminPrincipal, tokenId: string): Promise<boolean> {
    return readCommitted(this.em, async (em) => {
      const row = await em.findOne(AdminTokenEntity, { tokenId }, { filters: false });
      if (row && (await revokeToken(em.getKysely(), tokenId))) {
        const { name, role, tenantId } = row;
        const detail = { tokenId, before: { name, role } };
        await appendEntries(em.getKysely(), [callerEntry(principal, { kind: 'token-revoked', tenantId, detail })]);
      }
      return row !== null;
    });
  }
}
