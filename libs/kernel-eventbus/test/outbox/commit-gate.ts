import type { EventSubscriber } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

export interface HeldCommit {
  /** Its events are written, and nobody sees them yet. */
  reached: Promise<void>;
  open(): void;
  /** Lets the commit fail instead, so that the transaction rolls back. */
  fail(error: Error): void;
}

/** Holds a transaction at its commit, when its events are written. */
export class CommitGate implements EventSubscriber {
  #next: (() => Promise<void>) | undefined;

  /** Subscribers run one after the other, and the kernel's is there already. */
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
