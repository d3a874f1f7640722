const PAUSE_MS = 5_000;
const MOST = 10_000;

/** Events whose middleware failed: they wait a moment, so that they are not tried over and over, nor in the way of others. */
export class SetBackEvents {
  readonly #until = new Map<string, number>();

  get ids(): string[] {
    const now = performance.now();
    for (const [eventId, until] of this.#until) {
      if (until <= now) {
        this.#until.delete(eventId);
      }
    }
    return [...this.#until.keys()];
  }

  add(eventId: string): void {
    if (this.#until.size >= MOST) {
      this.#until.clear();
    }
    this.#until.set(eventId, performance.now() + PAUSE_MS);
  }
}
