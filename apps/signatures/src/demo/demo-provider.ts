import { Injectable } from '@nestjs/common';
import { ChallengeProvider, type Challenge } from '../challenges/challenge-provider.js';

/** Maximum number of codes kept; the oldest are dropped first. */
const MAX_CODES = 1_000;

/** Replaces a gateway: keeps the codes readable for trying the app, and fails on request. */
@Injectable()
export class DemoProvider extends ChallengeProvider {
  override readonly name = 'demo-gateway';
  isDown = false;
  readonly #codes = new Map<string, string>();

  override async send({ signatureRequestId, code }: Challenge): Promise<void> {
    if (this.isDown) {
      throw new Error('the gateway is down');
    }
    this.#codes.set(signatureRequestId, code);
    if (this.#codes.size > MAX_CODES) {
      this.#codes.delete(this.#codes.keys().next().value!);
    }
  }

  codeOf(signatureRequestId: string): string | undefined {
    return this.#codes.get(signatureRequestId);
  }
}
