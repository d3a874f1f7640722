import type { KeyObject } from 'node:crypto';
import { Pool } from 'undici';
import { toKey } from '../sink/verify-signature.ts';
import type { WebhookEvent } from './event.ts';
import { signWebhook, type SignedWebhook } from './sign-webhook.ts';

export const IN_FLIGHT = 64;

/** The peers' job: one signed POST over undici, and an error unless the answer is a 2xx. */
export class WebhookPoster {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #key: KeyObject;

  constructor({ sinkUrl, secret }: { sinkUrl: string; secret: string }) {
    const { origin, pathname } = new URL(sinkUrl);
    this.#pool = new Pool(origin, { connections: IN_FLIGHT, pipelining: 1 });
    this.#path = pathname;
    this.#key = toKey(secret);
  }

  async post(event: WebhookEvent): Promise<void> {
    await this.send(signWebhook(event, this.#key));
  }

  async send({ body, headers }: SignedWebhook): Promise<void> {
    const response = await this.#pool.request({ path: this.#path, method: 'POST', headers, body });
    await response.body.dump();
    if (response.statusCode < 200 || response.statusCode > 299) {
      throw new Error(`the sink answered ${response.statusCode}`);
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
