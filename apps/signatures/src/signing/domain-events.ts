import { newEventId, type DomainEvent } from '@kernel/eventbus';
import type { Occasion } from './occasion.js';
import type { SignatureRequestState } from './signature-request.entity.js';
import { definitions, type AbortReason } from './signature.events.js';

/** A fact about a signature request. Names the customer by pseudonym only. */
abstract class SignatureRequestEvent implements DomainEvent {
  readonly eventId = newEventId();
  readonly tenantId: string;
  readonly aggregateId: string;
  readonly aggregateType = 'SignatureRequest';
  abstract readonly eventType: string;
  readonly occurredAt: Date;
  readonly correlationId: string;
  readonly payload: Record<string, unknown>;

  constructor(request: SignatureRequestState, { at, correlationId }: Occasion, facts: Record<string, unknown>) {
    this.tenantId = request.tenantId;
    this.aggregateId = request.signatureRequestId;
    this.occurredAt = at;
    this.correlationId = correlationId;
    const { signatureRequestId, customerPseudonym: customerId } = request;
    this.payload = { signatureRequestId, customerId, ...facts };
  }
}

export class SignatureRequestCreated extends SignatureRequestEvent {
  readonly eventType = definitions.signatureRequestCreated.type;

  constructor(request: SignatureRequestState, occasion: Occasion) {
    const { transactionContextHash, channel: requestedChannel, riskLevel, expiresAt } = request;
    const facts = { transactionContextHash, requestedChannel, riskLevel, expiresAt: expiresAt.toISOString() };
    super(request, occasion, facts);
  }
}

export class ChallengeSent extends SignatureRequestEvent {
  readonly eventType = definitions.challengeSent.type;

  constructor(request: SignatureRequestState, occasion: Occasion, provider: string) {
    super(request, occasion, { channel: request.channel, provider });
  }
}

export class ChallengeFailed extends SignatureRequestEvent {
  readonly eventType = definitions.challengeFailed.type;

  constructor(request: SignatureRequestState, occasion: Occasion, answersLeft: number) {
    super(request, occasion, { answersLeft });
  }
}

export class ProviderFailed extends SignatureRequestEvent {
  readonly eventType = definitions.providerFailed.type;

  constructor(request: SignatureRequestState, occasion: Occasion, provider: string) {
    super(request, occasion, { channel: request.channel, provider });
  }
}

export class SignatureCompleted extends SignatureRequestEvent {
  readonly eventType = definitions.signatureCompleted.type;

  constructor(request: SignatureRequestState, occasion: Occasion) {
    super(request, occasion, { transactionContextHash: request.transactionContextHash });
  }
}

export class SignatureExpired extends SignatureRequestEvent {
  readonly eventType = definitions.signatureExpired.type;

  constructor(request: SignatureRequestState, occasion: Occasion) {
    super(request, occasion, { expiredAt: request.expiresAt.toISOString() });
  }
}

export class SignatureAborted extends SignatureRequestEvent {
  readonly eventType = definitions.signatureAborted.type;

  constructor(request: SignatureRequestState, occasion: Occasion, reason: AbortReason) {
    super(request, occasion, { reason });
  }
}
