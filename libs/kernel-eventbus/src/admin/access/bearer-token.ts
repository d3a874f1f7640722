import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const BEARER = /^Bearer +([^\s]+) *$/i;

export function generateToken(): string {
  return `keb_${randomBytes(32).toString('base64url')}`;
}

/** A plain hash suffices: what is hashed is random, not something a person chose. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function readBearer(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}

/** Takes as long whether and wherever the two differ. */
export function isSameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
