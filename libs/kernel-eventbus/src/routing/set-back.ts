const PAUSE_MS = 5_000;
const MOST = 10_000;

/** What waits a moment, so that it is not tried over and over, nor in the way of others. */
export class SetBack {
  readonly #until = new Map<string, number>();

  get keys(): string[] {
    const now = performance.now();
    for (const [key, until] of this.#until) {
      if (until <= now) {
        this.#until.delete(key);
      }
    }
    return [...this.#until.keys()];
  }

  has(key: string): boolean {
    return (this.#until.get(key) ?? 0) > performance.now();
  }

  add(key: string): void {
    if (this.#until.size >= MOST) {
      this.#until.clear();
    }
    this.#until.set(key, performance.now() + PAUSE_MS);
  }
}
