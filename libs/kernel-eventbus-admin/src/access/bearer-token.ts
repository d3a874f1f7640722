import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const BEARER = /^Bearer +([^\s]+) *$/i;

export function generateToken(): string {
  return `keb_${randomBytes(32).toString('base64url')}`;
}

/** A plain hash is enough because tokens are random, not chosen by a person. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function readBearer(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}

/** Constant-time comparison. */
export function isSameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
