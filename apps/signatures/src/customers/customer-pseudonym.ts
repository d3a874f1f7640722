import { KEYED_HASH, keyedHash } from './keyed-hash.js';

/** Value object: the signing customer, unidentifiable without the key. Stable per customer and tenant. */
export class CustomerPseudonym {
  private constructor(readonly value: string) {}

  static of(customerId: string, key: Buffer): CustomerPseudonym {
    return new CustomerPseudonym(keyedHash(key, customerId));
  }

  /** @throws if it is not a pseudonym, so a customer's own id cannot pass for one */
  static parse(value: string): CustomerPseudonym {
    if (!KEYED_HASH.test(value)) {
      throw new Error('not the pseudonym of a customer');
    }
    return new CustomerPseudonym(value);
  }
}
