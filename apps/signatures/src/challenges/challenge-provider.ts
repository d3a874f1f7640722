import type { Channel } from '../signing/signature-request.entity.js';

export interface Challenge {
  signatureRequestId: string;
  tenantId: string;
  /** The provider stores the customers' devices by pseudonym. */
  customerPseudonym: string;
  channel: Channel;
  code: string;
}

/** Port: delivers a code to a customer, e.g. a gateway for text messages. */
export abstract class ChallengeProvider {
  abstract readonly name: string;

  /** Throws if the challenge could not be sent. */
  abstract send(challenge: Challenge): Promise<void>;
}
