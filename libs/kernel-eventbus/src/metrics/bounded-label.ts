const OTHER = 'other';

/** Lets the first so many values be labels; those that come later share one, so that no caller can make series without end. */
export class BoundedLabel {
  readonly #known = new Set<string>();

  constructor(private readonly most: number) {}

  of(value: string): string {
    if (this.#known.has(value)) {
      return value;
    }
    if (this.#known.size >= this.most) {
      return OTHER;
    }
    this.#known.add(value);
    return value;
  }
}
