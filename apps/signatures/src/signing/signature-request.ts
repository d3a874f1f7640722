import { newEventId, type DomainEvent } from '@kernel/eventbus';
import type { CustomerPseudonym } from '../customers/customer-pseudonym.js';
import {
  ChallengeFailed,
  ChallengeSent,
  ProviderFailed,
  SignatureAborted,
  SignatureCompleted,
  SignatureExpired,
  SignatureRequestCreated,
} from './domain-events.js';
import type { Occasion } from './occasion.js';
import { OPEN_STATUSES, type Channel, type RiskLevel, type SignatureRequestState } from './signature-request.entity.js';
import { SignatureStateError } from './signature-state.error.js';
import type { AbortReason } from './signature.events.js';

export const MAX_ANSWERS = 3;

export interface NewSignatureRequest {
  tenantId: string;
  customer: CustomerPseudonym;
  transactionContextHash: string;
  channel: Channel;
  riskLevel: RiskLevel;
  ttlSeconds: number;
}

export type Answered = 'completed' | 'wrong' | 'aborted';

/** The aggregate: validates transitions of a request, changes its state and records the events. */
export class SignatureRequest {
  readonly #events: DomainEvent[] = [];

  constructor(readonly state: SignatureRequestState) {}

  static start({ customer, ttlSeconds, ...facts }: NewSignatureRequest, occasion: Occasion): SignatureRequest {
    const request = new SignatureRequest({
      ...facts,
      signatureRequestId: newEventId(),
      customerPseudonym: customer.value,
      status: 'CREATED',
      codeHash: null,
      challenges: 0,
      failedAnswers: 0,
      expiresAt: new Date(occasion.at.getTime() + ttlSeconds * 1_000),
      createdAt: occasion.at,
      updatedAt: occasion.at,
    });
    request.#events.push(new SignatureRequestCreated(request.state, occasion));
    return request;
  }

  /** A later challenge replaces the earlier one. */
  challengeSent(codeHash: string, provider: string, occasion: Occasion): void {
    this.requireOpen(occasion);
    this.change({ status: 'CHALLENGED', codeHash, challenges: this.state.challenges + 1 }, occasion);
    this.#events.push(new ChallengeSent(this.state, occasion, provider));
  }

  /** The request stays open: another try may succeed. */
  providerFailed(provider: string, occasion: Occasion): void {
    this.#events.push(new ProviderFailed(this.state, occasion, provider));
  }

  /** @param isRight true if the answer matches the challenge with this hash */
  answer(isRight: (codeHash: string) => boolean, occasion: Occasion): Answered {
    this.requireOpen(occasion);
    if (!this.state.codeHash) {
      throw new SignatureStateError('no challenge has been sent yet');
    }
    if (isRight(this.state.codeHash)) {
      this.change({ status: 'COMPLETED', codeHash: null }, occasion);
      this.#events.push(new SignatureCompleted(this.state, occasion));
      return 'completed';
    }
    return this.failAnswer(occasion);
  }

  abort(reason: AbortReason, occasion: Occasion): void {
    this.requireOpen(occasion);
    this.close('ABORTED', occasion);
    this.#events.push(new SignatureAborted(this.state, occasion, reason));
  }

  /** Expires a request that is open and due; throws for any other. */
  expire(occasion: Occasion): void {
    if (!this.isOpen() || !this.isDue(occasion)) {
      throw new SignatureStateError('the request is not due to expire');
    }
    this.close('EXPIRED', occasion);
    this.#events.push(new SignatureExpired(this.state, occasion));
  }

  requireOpen(occasion: Occasion): void {
    if (!this.isOpen()) {
      throw new SignatureStateError(`the request is ${this.state.status.toLowerCase()} already`);
    }
    if (this.isDue(occasion)) {
      throw new SignatureStateError('the request is expired already');
    }
  }

  /** Returns and clears the events recorded since it was loaded. */
  takeEvents(): DomainEvent[] {
    return this.#events.splice(0);
  }

  private failAnswer(occasion: Occasion): Answered {
    this.change({ failedAnswers: this.state.failedAnswers + 1 }, occasion);
    const answersLeft = MAX_ANSWERS - this.state.failedAnswers;
    this.#events.push(new ChallengeFailed(this.state, occasion, answersLeft));
    if (answersLeft > 0) {
      return 'wrong';
    }
    this.abort('TOO_MANY_FAILURES', occasion);
    return 'aborted';
  }

  private close(status: 'ABORTED' | 'EXPIRED', occasion: Occasion): void {
    this.change({ status, codeHash: null }, occasion);
  }

  private change(changes: Partial<SignatureRequestState>, { at }: Occasion): void {
    Object.assign(this.state, changes, { updatedAt: at });
  }

  private isOpen(): boolean {
    return OPEN_STATUSES.some((status) => status === this.state.status);
  }

  private isDue({ at }: Occasion): boolean {
    return this.state.expiresAt <= at;
  }
}
