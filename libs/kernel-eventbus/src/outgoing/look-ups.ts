import type { ResolvedAddress } from './resolver.js';
import { SilentNames } from './silent-names.js';
import { TenantPlaces, type PlaceLimits } from './tenant-places.js';
import { untilAborted } from './until-aborted.js';

/** May go on after the signal has fired; it holds its place until it is done. */
export type Question = (hostname: string, signal: AbortSignal) => Promise<ResolvedAddress[]>;

export interface LookUpsOptions {
  ask: Question;
  timeoutMs: number;
  /** For the memory of names that timed out. */
  now?: (() => number) | undefined;
  /** Questions under way at a time. */
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
 * One way to look names up, with places for so many questions. Those who ask for the same name at the same time share one
 * question. Answers are not kept, so every attempt asks anew; only names that timed out are refused for a while.
 */
export class LookUps {
  private readonly running = new Map<string, RunningLookUp>();
  private readonly places: TenantPlaces;
  /** Of its own: what DNS servers are silent about, the system may know, and no tenant is to keep an operator from it. */
  private readonly silentNames: SilentNames;

  constructor(private readonly options: LookUpsOptions) {
    this.places = new TenantPlaces(options.limits);
    this.silentNames = new SilentNames(options.now);
  }

  async ask(hostname: string, tenantId: string, signal: AbortSignal): Promise<ResolvedAddress[]> {
    const shared = this.join(hostname);
    if (shared) return untilAborted(shared, signal);

    await this.places.take(tenantId, signal);
    // While it waited, another one may have asked, or the name may have timed out.
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

  /** Goes on when nobody waits any more, because it is worth knowing whether the name times out. */
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
