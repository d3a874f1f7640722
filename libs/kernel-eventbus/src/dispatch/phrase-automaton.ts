/** A stretch of a text: from its first position to the one after its last. */
export interface Stretch {
  from: number;
  to: number;
}

/**
 * Finds every occurrence of every phrase in one pass over a text (Aho-Corasick): the work grows with the text, not with
 * the number of phrases or with how often they begin in vain. States are numbers, 0 is the start; the children of a
 * state are a linked list, because nearly all states have one.
 */
export class PhraseAutomaton {
  readonly #firstChild: Int32Array;
  readonly #nextSibling: Int32Array;
  readonly #code: Int32Array;
  readonly #depth: Int32Array;
  /** The state of the longest proper suffix that begins a phrase too. */
  readonly #fallback: Int32Array;
  /** Length of the longest phrase that ends here; 0: none does. */
  readonly #ending: Int32Array;
  #states = 1;

  constructor(phrases: readonly string[]) {
    const most = phrases.reduce((sum, { length }) => sum + length, 1);
    const allStates = () => new Int32Array(most);
    this.#firstChild = allStates();
    this.#nextSibling = allStates();
    this.#code = allStates();
    this.#depth = allStates();
    this.#fallback = allStates();
    this.#ending = allStates();
    phrases.forEach((phrase) => this.add(phrase));
    this.linkFallbacks();
  }

  get size(): number {
    return this.#code.length;
  }

  /** The occurrences, overlapping ones as one stretch. At the end also a beginning of a phrase, if it is long enough. */
  find(text: string, minBeginning: number): Stretch[] {
    const found: Stretch[] = [];
    let state = 0;
    for (let place = 0; place < text.length; place += 1) {
      state = this.step(state, text.charCodeAt(place));
      const length = this.#ending[state]!;
      if (length > 0) {
        join(found, { from: place + 1 - length, to: place + 1 });
      }
    }
    const begun = this.#depth[state]!;
    if (begun >= minBeginning) {
      join(found, { from: text.length - begun, to: text.length });
    }
    return found;
  }

  private add(phrase: string): void {
    let state = 0;
    for (let place = 0; place < phrase.length; place += 1) {
      const code = phrase.charCodeAt(place);
      state = this.child(state, code) || this.addChild(state, code);
    }
    this.#ending[state] = phrase.length;
  }

  private addChild(parent: number, code: number): number {
    const state = this.#states;
    this.#states += 1;
    this.#code[state] = code;
    this.#depth[state] = this.#depth[parent]! + 1;
    this.#nextSibling[state] = this.#firstChild[parent]!;
    this.#firstChild[parent] = state;
    return state;
  }

  /** Breadth first, so the fallback of a state is complete before those of its children. */
  private linkFallbacks(): void {
    const queue = new Int32Array(this.#states);
    let queued = 1;
    for (let taken = 0; taken < queued; taken += 1) {
      const parent = queue[taken]!;
      for (let state = this.#firstChild[parent]!; state !== 0; state = this.#nextSibling[state]!) {
        const fallback = parent === 0 ? 0 : this.step(this.#fallback[parent]!, this.#code[state]!);
        this.#fallback[state] = fallback;
        this.#ending[state] ||= this.#ending[fallback]!;
        queue[queued] = state;
        queued += 1;
      }
    }
  }

  private step(from: number, code: number): number {
    let state = from;
    let next = this.child(state, code);
    while (next === 0 && state !== 0) {
      state = this.#fallback[state]!;
      next = this.child(state, code);
    }
    return next;
  }

  /** 0: none, as the start is nobody's child. */
  private child(parent: number, code: number): number {
    let state = this.#firstChild[parent]!;
    while (state !== 0 && this.#code[state] !== code) {
      state = this.#nextSibling[state]!;
    }
    return state;
  }
}

function join(found: Stretch[], added: Stretch): void {
  let last = found.at(-1);
  while (last && last.to > added.from) {
    added.from = Math.min(added.from, last.from);
    found.pop();
    last = found.at(-1);
  }
  found.push(added);
}
