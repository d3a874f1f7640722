import { appendFile } from 'node:fs/promises';
import type { Handoff, HandoffResult, WebhookDispatcher } from '@kernel/eventbus';

/** Writes webhooks to a file, one per line, instead of sending them. */
export class FileDispatcher implements WebhookDispatcher {
  readonly name = 'file';

  constructor(private readonly path: string) {}

  async dispatch(handoff: Handoff): Promise<HandoffResult> {
    await handoff.invoke(async ({ url, headers, body }) => {
      const startedAt = performance.now();
      await appendFile(this.path, `${JSON.stringify({ url, headers, body })}\n`);
      const latencyMs = Math.round(performance.now() - startedAt);
      return { kind: 'response', statusCode: 202, headers: {}, bodyExcerpt: '', latencyMs };
    });
    return { status: 'accepted' };
  }
}
