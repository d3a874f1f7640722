const PAUSE_MS = 5_000;
const MAX_KEYS = 10_000;

/** Keys skipped for five seconds after a failure. */
export class CooldownSet {
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
    if (this.#until.size >= MAX_KEYS) {
      this.#until.clear();
    }
    this.#until.set(key, performance.now() + PAUSE_MS);
  }
}
