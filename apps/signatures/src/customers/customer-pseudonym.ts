import { KEYED_HASH, keyedHash } from './keyed-hash.js';

/** Value object: who signs, known to nobody without the key. The same customer of a tenant has the same pseudonym. */
export class CustomerPseudonym {
  private constructor(readonly value: string) {}

  static of(customerId: string, key: Buffer): CustomerPseudonym {
    return new CustomerPseudonym(keyedHash(key, customerId));
  }

  /** @throws when it is none, so that a customer's own id cannot be taken for one */
  static parse(value: string): CustomerPseudonym {
    if (!KEYED_HASH.test(value)) {
      throw new Error('not the pseudonym of a customer');
    }
    return new CustomerPseudonym(value);
  }
}
