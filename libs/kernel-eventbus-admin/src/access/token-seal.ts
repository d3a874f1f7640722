import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AdminTokenRow } from '@kernel/eventbus/engine';
import { LastingKey } from '@kernel/secrets';
import { Injectable } from '@nestjs/common';

export type SealedFacts = Pick<AdminTokenRow, 'tokenId' | 'tokenHash' | 'role' | 'tenantId' | 'expiresAt'>;

/**
 * Authenticates token rows with a key outside the database, so that a writer to the table cannot issue a token. The key
 * outlasts a rotation of the master key.
 */
@Injectable()
export class TokenSeal {
  #key: Buffer | undefined;

  constructor(private readonly keys: LastingKey) {}

  of({ tokenId, tokenHash, role, tenantId, expiresAt }: SealedFacts): Buffer {
    const facts = [tokenId, tokenHash, role, tenantId ?? null, expiresAt ? String(expiresAt.getTime()) : null];
    this.#key ??= this.keys.derive('admin-token', 'hmac-sha256/1');
    return createHmac('sha256', this.#key).update(JSON.stringify(facts)).digest();
  }

  isOn(row: SealedFacts & Pick<AdminTokenRow, 'seal'>): boolean {
    const expected = this.of(row);
    const { seal } = row;
    return seal?.length === expected.length && timingSafeEqual(Buffer.from(seal), expected);
  }
}
