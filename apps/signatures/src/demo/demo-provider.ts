import { Injectable } from '@nestjs/common';
import { ChallengeProvider, type Challenge } from '../challenges/challenge-provider.js';

/** Codes of requests that nobody asked for stay no longer than this many others. */
const MOST_CODES = 1_000;

/** Stands in for a gateway: keeps the codes where whoever tries the app can read them, and fails when it is told to. */
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
    if (this.#codes.size > MOST_CODES) {
      this.#codes.delete(this.#codes.keys().next().value!);
    }
  }

  codeOf(signatureRequestId: string): string | undefined {
    return this.#codes.get(signatureRequestId);
  }
}
