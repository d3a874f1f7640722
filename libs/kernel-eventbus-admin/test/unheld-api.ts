import { ProblemFilter } from '@kernel/http';
import type { INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { LoopWatch } from '@kernel/test-support/loop-watch';
import { OtherThreadClient, type Answer } from '@kernel/test-support/other-thread-client';
import { ADMIN, AdminApi, OPERATOR_TOKEN } from '@kernel/test-support/admin-api';

const MAX_HOLD_MS = 200;
/** Odd, for the median. */
const TRIES = 15;

export interface MeasuredRequest {
  /** Method and path below `/admin/eventbus`, e.g. `POST /prune`. */
  route: string;
  /** JSON text or a value. A function is called for every try, so caches of the previous try do not apply. */
  body?: unknown;
  isChunked?: boolean;
}

/** The admin API of a host that accepts bodies of 2 MB, called from another thread while its event loop is measured. */
export class UnheldApi {
  private constructor(
    readonly api: AdminApi,
    private readonly client: OtherThreadClient,
  ) {}

  static async start(): Promise<UnheldApi> {
    const takeLargeBodies = (app: INestApplication) =>
      (app.useGlobalFilters(new ProblemFilter()) as NestExpressApplication).useBodyParser('json', { limit: '2mb' });
    return new UnheldApi(await AdminApi.start({ configure: takeLargeBodies }), new OtherThreadClient());
  }

  /**
   * Uses the median of several tries, because garbage collection may block the loop in any of them. Stops as soon as
   * the median is known to be within or beyond the limit.
   */
  async expectUnheld({ route, body, isChunked }: MeasuredRequest, status: number): Promise<Answer> {
    const [method, path] = route.split(' ') as [string, string];
    const url = `${this.api.url}${ADMIN}${path}`;
    const [within, beyond]: [number[], number[]] = [[], []];
    let answer: Answer;
    do {
      const request = { method, url, token: OPERATOR_TOKEN, body: textOf(body), isChunked };
      const watch = new LoopWatch();
      answer = await this.client.send(request);
      const holdMs = watch.stop();
      (holdMs < MAX_HOLD_MS ? within : beyond).push(holdMs);
      if (answer.status !== status) {
        throw new Error(`${route} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
      }
    } while (Math.max(within.length, beyond.length) <= TRIES / 2);
    if (beyond.length > within.length) {
      throw new Error(`${route} held the loop for ${beyond.map(Math.round).join(', ')} ms in most of ${TRIES} tries`);
    }
    return answer;
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.api.close();
  }
}

function textOf(body: unknown): string | undefined {
  const given: unknown = typeof body === 'function' ? (body as () => unknown)() : body;
  return typeof given === 'string' || given === undefined ? given : JSON.stringify(given);
}
