import { Injectable } from '@nestjs/common';

/** Endpoints whose last change is kept. On overflow, every held delivery counts as out of date once. */
const MAX_REMEMBERED = 10_000;

/**
 * Counts endpoint changes. A claimed delivery carries its endpoint's settings; the count from before its claim tells
 * whether these have changed since.
 */
@Injectable()
export class EndpointVersions {
  readonly #last = new Map<string, number>();
  #count = 0;
  #forgotten = 0;

  get count(): number {
    return this.#count;
  }

  note(endpointId: string): void {
    if (this.#last.size >= MAX_REMEMBERED) {
      this.#last.clear();
      this.#forgotten = this.#count;
    }
    this.#last.set(endpointId, ++this.#count);
  }

  /** Makes every held delivery out of date. */
  noteAll(): void {
    this.#last.clear();
    this.#forgotten = ++this.#count;
  }

  hasChanged(endpointId: string, since: number): boolean {
    return (this.#last.get(endpointId) ?? this.#forgotten) > since;
  }
}
