import { serveCalls } from '../harness/serve-calls.ts';
import { toKey } from '../sink/verify-signature.ts';
import { makeEvent, streamOf } from '../webhook/event.ts';
import { signWebhook } from '../webhook/sign-webhook.ts';
import { IN_FLIGHT, PoolPoster } from '../webhook/webhook-poster.ts';

/** The upper limit: the same bytes, signed beforehand, sent from memory without recording. */
export const rawUndici = {
  post: async ({ sinkUrl, secret, count }: { sinkUrl: string; secret: string; count: number }): Promise<void> => {
    const key = toKey(secret);
    const webhooks = Array.from({ length: count }, (_, place) => signWebhook(makeEvent(streamOf(place, count)), key));
    const poster = new PoolPoster();
    const target = { url: sinkUrl, secret };
    let sent = 0;
    const sender = async () => {
      while (sent < count) {
        await poster.send(webhooks[sent++]!, target);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, sender));
    await poster.close();
  },
};

serveCalls(rawUndici);
