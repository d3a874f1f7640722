const OTHER = 'other';

/** Keeps the first values as labels and maps later ones to a shared label, which bounds the number of series. */
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
