import type { EventSubscriber } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

export interface HeldCommit {
  /** Resolves when its events are written and not yet visible. */
  reached: Promise<void>;
  open(): void;
  /** Makes the commit fail, so the transaction rolls back. */
  fail(error: Error): void;
}

/** Holds a transaction at its commit, after its events are written. */
export class CommitGate implements EventSubscriber {
  #next: (() => Promise<void>) | undefined;

  /** Subscribers run one after the other, and the kernel's is registered first. */
  constructor(em: EntityManager) {
    em.getEventManager().registerSubscriber(this);
  }

  holdNext(): HeldCommit {
    const reached = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    this.#next = () => {
      reached.resolve();
      return opened.promise;
    };
    return { reached: reached.promise, open: opened.resolve, fail: opened.reject };
  }

  async beforeTransactionCommit(): Promise<void> {
    const held = this.#next;
    this.#next = undefined;
    await held?.();
  }
}
