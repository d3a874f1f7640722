import type { SecretValue } from '@kernel/secrets';
import { CredentialMask } from './credential-mask.js';

/** About 24 MB. */
const MAX_KEPT_SIZE = 1_000_000;
/** Limits the number of small masks too. */
const MIN_COUNTED_SIZE = 4_000;

interface Kept {
  credentials: readonly SecretValue[];
  mask: CredentialMask;
}

/** Keeps masks, because making one takes longer than using it. Rotated credentials are other values, with other masks. */
export class CredentialMasks {
  /** By the first credential, oldest first. */
  readonly #kept = new Map<SecretValue, Kept>();
  #keptSize = 0;

  of(credentials: readonly SecretValue[]): CredentialMask {
    const [first] = credentials;
    const kept = first && this.#kept.get(first);
    if (kept && isSame(kept.credentials, credentials)) {
      return kept.mask;
    }
    const mask = new CredentialMask(credentials.map((credential) => credential.reveal()));
    if (first) {
      this.drop(first);
      this.#kept.set(first, { credentials, mask });
      this.#keptSize += countedSize(mask);
      this.dropOldest();
    }
    return mask;
  }

  private dropOldest(): void {
    for (const oldest of this.#kept.keys()) {
      if (this.#keptSize <= MAX_KEPT_SIZE) {
        return;
      }
      this.drop(oldest);
    }
  }

  private drop(first: SecretValue): void {
    const kept = this.#kept.get(first);
    if (kept) {
      this.#kept.delete(first);
      this.#keptSize -= countedSize(kept.mask);
    }
  }
}

function countedSize({ size }: CredentialMask): number {
  return Math.max(size, MIN_COUNTED_SIZE);
}

function isSame(some: readonly SecretValue[], others: readonly SecretValue[]): boolean {
  return some.length === others.length && some.every((credential, place) => credential === others[place]);
}
