import type { KeyObject } from 'node:crypto';
import { Pool } from 'undici';
import { toKey } from '../sink/verify-signature.ts';
import type { WebhookEvent } from './event.ts';
import { signWebhook, type SignedWebhook } from './sign-webhook.ts';

export const IN_FLIGHT = 64;

export interface Target {
  url: string;
  secret: string;
}

/** The peers' request: one signed POST, and an error unless the answer is a 2xx. */
export interface WebhookPoster {
  /** Returns the status code. */
  post(event: WebhookEvent, target: Target): Promise<number>;
  close(): Promise<void>;
}

/** A pool of undici for each origin: the fast way. */
export class PoolPoster implements WebhookPoster {
  readonly #routes = new Map<string, { pool: Pool; path: string; key: KeyObject }>();

  async post(event: WebhookEvent, target: Target): Promise<number> {
    return this.send(signWebhook(event, this.#routeTo(target).key), target);
  }

  async send({ body, headers }: SignedWebhook, target: Target): Promise<number> {
    const { pool, path } = this.#routeTo(target);
    const response = await pool.request({ path, method: 'POST', headers, body });
    await response.body.dump();
    return expectSuccess(response.statusCode);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#routes.values()].map(({ pool }) => pool.close()));
  }

  #routeTo({ url, secret }: Target) {
    let route = this.#routes.get(url);
    if (!route) {
      const { origin, pathname } = new URL(url);
      const pool = new Pool(origin, { connections: IN_FLIGHT, pipelining: 1 });
      this.#routes.set(url, (route = { pool, path: pathname, key: toKey(secret) }));
    }
    return route;
  }
}

/** Node's own `fetch`: the common way. */
export class FetchPoster implements WebhookPoster {
  async post(event: WebhookEvent, { url, secret }: Target): Promise<number> {
    const { body, headers } = signWebhook(event, toKey(secret));
    const response = await fetch(url, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return expectSuccess(response.status);
  }

  async close(): Promise<void> {}
}

function expectSuccess(status: number): number {
  if (status < 200 || status > 299) {
    throw new Error(`the sink answered ${status}`);
  }
  return status;
}
