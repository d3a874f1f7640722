import type { DomainEvent } from './domain-event.js';

/**
 * AC3: the port through which use cases tell what happened. Inject it where the domain must not know how events travel:
 *
 * ```ts
 * class CompleteSignature {
 *   constructor(private readonly em: EntityManager, private readonly events: EventPublisher) {}
 *
 *   async execute(id: string): Promise<void> {
 *     await this.em.transactional(async (em) => {
 *       const signature = await em.findOneOrFail(Signature, id);
 *       await this.events.publishAll(signature.complete());
 *     });
 *   }
 * }
 * ```
 *
 * Its adapter is the outbox: what is published exists if, and only if, the running transaction commits. Bind another one in
 * tests of a domain: `{ provide: EventPublisher, useValue: … }`.
 */
export abstract class EventPublisher {
  /**
   * @throws {OutboxTransactionRequiredError} when no transaction runs
   * @throws {InvalidEventError} when the event is not valid
   */
  abstract publish(event: DomainEvent): Promise<void>;

  /** In this order; all of them or none. */
  abstract publishAll(events: readonly DomainEvent[]): Promise<void>;
}
