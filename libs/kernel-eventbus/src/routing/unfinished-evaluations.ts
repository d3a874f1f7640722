import type { Evaluation } from './evaluation.js';

/** Each keeps its event's payload. */
const MAX_KEPT = 32;
/** Another worker has routed an event that does not come again within this time. */
const KEPT_MS = 60_000;

/** Evaluations that ran out of time, until their events are claimed again. */
export class UnfinishedEvaluations {
  readonly #kept = new Map<string, { evaluation: Evaluation; since: number }>();

  take(eventId: string): Evaluation | undefined {
    const evaluation = this.#kept.get(eventId)?.evaluation;
    this.#kept.delete(eventId);
    return evaluation;
  }

  /** One for which there is no room begins anew: the others come to their end first. */
  keep(eventId: string, evaluation: Evaluation): void {
    const now = performance.now();
    for (const [keptId, { since }] of this.#kept) {
      if (now - since > KEPT_MS) {
        this.#kept.delete(keptId);
      }
    }
    if (this.#kept.size < MAX_KEPT) {
      this.#kept.set(eventId, { evaluation, since: now });
    }
  }
}
