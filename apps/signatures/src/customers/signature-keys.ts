import { MasterKey } from '@kernel/secrets';
import { Injectable } from '@nestjs/common';
import { SignaturesSettings } from '../settings/signatures-settings.js';

/** Keys of the domain, each for one purpose and tenant; derived from the master key, which is not in the database. */
@Injectable()
export class SignatureKeys {
  readonly #masterKey: MasterKey;

  constructor({ masterKey }: SignaturesSettings) {
    this.#masterKey = MasterKey.fromBase64(masterKey);
  }

  ofCustomers(tenantId: string): Buffer {
    return this.#masterKey.derive('signatures customer pseudonym v1', tenantId);
  }

  ofTransactions(tenantId: string): Buffer {
    return this.#masterKey.derive('signatures transaction context v1', tenantId);
  }

  ofChallenges(tenantId: string): Buffer {
    return this.#masterKey.derive('signatures challenge code v1', tenantId);
  }
}
