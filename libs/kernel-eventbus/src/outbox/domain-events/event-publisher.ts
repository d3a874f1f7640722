import type { DomainEvent } from './domain-event.js';

/**
 * AC3: the port through which use cases publish events. Inject it where the domain must not depend on the outbox:
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
 * Its adapter is the outbox: published events exist if, and only if, the running transaction commits. For tests of a
 * domain, bind another one: `{ provide: EventPublisher, useValue: … }`.
 */
export abstract class EventPublisher {
  /**
   * @throws {OutboxTransactionRequiredError} when no transaction runs
   * @throws {InvalidEventError} when the event is not valid
   */
  abstract publish(event: DomainEvent): Promise<void>;

  /** Publishes in this order; all of them or none. */
  abstract publishAll(events: readonly DomainEvent[]): Promise<void>;
}
