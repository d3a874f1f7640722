import { LastingKey } from '@kernel/secrets';
import { Injectable } from '@nestjs/common';

/** Keys of the domain, each for one purpose and tenant. They survive a rotation of the master key. */
@Injectable()
export class SignatureKeys {
  constructor(private readonly lastingKey: LastingKey) {}

  ofCustomers(tenantId: string): Buffer {
    return this.lastingKey.derive('signatures customer pseudonym v1', tenantId);
  }

  ofTransactions(tenantId: string): Buffer {
    return this.lastingKey.derive('signatures transaction context v1', tenantId);
  }

  ofChallenges(tenantId: string): Buffer {
    return this.lastingKey.derive('signatures challenge code v1', tenantId);
  }
}
