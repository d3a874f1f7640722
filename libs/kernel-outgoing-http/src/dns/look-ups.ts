import type { ResolvedAddress } from './resolver.js';
import { SilentNames } from './silent-names.js';
import { TenantPlaces, type PlaceLimits } from '../limits/tenant-places.js';
import { untilAborted } from '../limits/until-aborted.js';

/** May continue after the signal has fired; it holds its place until it is done. */
export type Question = (hostname: string, signal: AbortSignal) => Promise<ResolvedAddress[]>;

export interface LookUpsOptions {
  ask: Question;
  timeoutMs: number;
  /** Clock for the names that timed out. */
  now?: (() => number) | undefined;
  /** Limits of concurrent questions. */
  limits: PlaceLimits;
}

export class LookUpTimeoutError extends Error {
  readonly code = 'ETIMEOUT';

  constructor() {
    super('No DNS server answered in time.');
    this.name = 'LookUpTimeoutError';
  }
}

interface RunningLookUp {
  answer: Promise<ResolvedAddress[]>;
  giveUp: AbortController;
}

/**
 * Looks up names through one source, with a limit of concurrent questions. Concurrent requests for the same name share
 * one question. Answers are not cached, so every attempt asks again; only names that timed out are refused for a while.
 */
export class LookUps {
  private readonly running = new Map<string, RunningLookUp>();
  private readonly places: TenantPlaces;
  /** Per source: the system may know a name for which DNS times out, and no tenant may block an operator. */
  private readonly silentNames: SilentNames;

  constructor(private readonly options: LookUpsOptions) {
    this.places = new TenantPlaces(options.limits);
    this.silentNames = new SilentNames(options.now);
  }

  async ask(hostname: string, tenantId: string, signal: AbortSignal): Promise<ResolvedAddress[]> {
    const shared = this.join(hostname);
    if (shared) return untilAborted(shared, signal);

    await this.places.take(tenantId, signal);
    // During the wait another request may have asked for the name, or it may have timed out.
    const meanwhile = this.join(hostname);
    if (meanwhile) this.places.release(tenantId);
    return untilAborted(meanwhile ?? this.begin(hostname, tenantId), signal);
  }

  close(): void {
    for (const { giveUp } of this.running.values()) giveUp.abort(new Error('The application is shutting down.'));
  }

  private join(hostname: string): Promise<ResolvedAddress[]> | undefined {
    if (this.silentNames.has(hostname)) return Promise.reject(new LookUpTimeoutError());
    return this.running.get(hostname)?.answer;
  }

  /** Continues without waiters, to learn whether the name times out. */
  private begin(hostname: string, tenantId: string): Promise<ResolvedAddress[]> {
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(new LookUpTimeoutError()), this.options.timeoutMs);
    const question = this.options.ask(hostname, giveUp.signal).finally(() => this.places.release(tenantId));
    const answer = untilAborted(question, giveUp.signal)
      .catch((error: unknown) => {
        if (error instanceof LookUpTimeoutError) this.silentNames.add(hostname);
        throw error;
      })
      .finally(() => {
        clearTimeout(timer);
        this.running.delete(hostname);
      });
    this.running.set(hostname, { answer, giveUp });
    return answer;
  }
}
