import type { Evaluation } from './evaluation.js';

/** Limited, because each evaluation keeps its event's payload. */
const MAX_KEPT = 32;
/** An event that is not claimed again within this time was routed by another worker. */
const KEPT_MS = 60_000;

/** Evaluations that ran out of time, kept until their events are claimed again. */
export class UnfinishedEvaluations {
  readonly #kept = new Map<string, { evaluation: Evaluation; since: number }>();

  take(eventId: string): Evaluation | undefined {
    const evaluation = this.#kept.get(eventId)?.evaluation;
    this.#kept.delete(eventId);
    return evaluation;
  }

  /** Without room, the evaluation starts over in its next batch; those kept finish first. */
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
