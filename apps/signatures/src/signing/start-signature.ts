import { EventPublisher } from '@kernel/eventbus';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { CustomerPseudonym } from '../customers/customer-pseudonym.js';
import { SignatureKeys } from '../customers/signature-keys.js';
import { Occasions } from './occasion.js';
import type { Channel, RiskLevel } from './signature-request.entity.js';
import { SignatureRequest } from './signature-request.js';
import { SignatureRequests } from './signature-requests.js';
import { hashContext, type TransactionContext } from './transaction-context.js';

export interface StartSignatureCommand {
  tenantId: string;
  /** The customer's own id; not kept after the pseudonym is derived. */
  customerId: string;
  transaction: TransactionContext;
  channel: Channel;
  riskLevel: RiskLevel;
  ttlSeconds: number;
}

@Injectable()
export class StartSignature {
  constructor(
    private readonly em: EntityManager,
    private readonly requests: SignatureRequests,
    private readonly events: EventPublisher,
    private readonly keys: SignatureKeys,
    private readonly occasions: Occasions,
  ) {}

  execute({ customerId, transaction, ...command }: StartSignatureCommand): Promise<SignatureRequest> {
    const tenantId = command.tenantId.toLowerCase();
    const customer = CustomerPseudonym.of(customerId, this.keys.ofCustomers(tenantId));
    const transactionContextHash = hashContext(transaction, this.keys.ofTransactions(tenantId));
    return this.em.transactional(async (em) => {
      const facts = { ...command, tenantId, customer, transactionContextHash };
      const request = SignatureRequest.start(facts, this.occasions.now());
      this.requests.add(em, request);
      await em.flush();
      await this.events.publishAll(request.takeEvents());
      return request;
    });
  }
}
