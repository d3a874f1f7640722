const MAX_NAMES = 10_000;
const SILENT_MS = 10_000;

/**
 * Names whose lookup timed out within the last ten seconds. They are refused, because each would hold a place in vain.
 * Not longer, because internal endpoints retry for about twenty seconds and their last attempt has to ask.
 */
export class SilentNames {
  /** When each name may be looked up again, oldest first. */
  private readonly until = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  add(hostname: string): void {
    this.until.delete(hostname);
    if (this.until.size >= MAX_NAMES) this.until.delete(this.until.keys().next().value!);
    this.until.set(hostname, this.now() + SILENT_MS);
  }

  has(hostname: string): boolean {
    const until = this.until.get(hostname);
    if (until === undefined) return false;
    if (until > this.now()) return true;
    this.until.delete(hostname);
    return false;
  }
}
