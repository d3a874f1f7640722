import { Injectable } from '@nestjs/common';

/** Endpoints whose last change is remembered; when there are more, every delivery that is held is taken for out of date once. */
const MOST_REMEMBERED = 10_000;

/**
 * Counts changes of endpoints. A delivery holds where to and how it goes as it was when it was taken: with the count of that
 * moment one can tell whether its endpoint has changed since.
 */
@Injectable()
export class EndpointChanges {
  readonly #last = new Map<string, number>();
  #count = 0;
  #forgotten = 0;

  get count(): number {
    return this.#count;
  }

  note(endpointId: string): void {
    if (this.#last.size >= MOST_REMEMBERED) {
      this.#last.clear();
      this.#forgotten = this.#count;
    }
    this.#last.set(endpointId, ++this.#count);
  }

  /** Whatever is held is out of date. */
  noteAll(): void {
    this.#last.clear();
    this.#forgotten = ++this.#count;
  }

  hasChanged(endpointId: string, since: number): boolean {
    return (this.#last.get(endpointId) ?? this.#forgotten) > since;
  }
}
