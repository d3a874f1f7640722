import type { EntityManager } from '@mikro-orm/postgresql';
import { expectTypeOf } from 'expect-type';
import { z } from 'zod';
import { defineEvent, EventHandler, type EventInput, type HandledEvent, type OutboxService } from '../../src/index.js';

/** Checked by the compiler (`npm run types`); each `@ts-expect-error` fails there if its line compiles. */
const InvoiceCreated = defineEvent({
  type: 'invoice.created.v1',
  schema: z.object({ invoiceId: z.guid(), totalCents: z.int(), note: z.string().optional() }),
});
const InvoiceDeleted = defineEvent({ type: 'invoice.deleted.v1', schema: z.object({ invoiceId: z.guid() }) });
const AllOptional = defineEvent({ type: 'note.v1', schema: z.object({ note: z.string().optional() }) });
const Untyped = defineEvent({ type: 'untyped.v1' });

interface InvoiceShape {
  invoiceId: string;
  totalCents: number;
}

const about = { tenantId: '0190c0de-0000-7000-8000-000000000001', streamKey: 'invoice:1' };
const payload: InvoiceShape = { invoiceId: '0190c0de-0000-7000-8000-000000000002', totalCents: 100 };

/** Never called. */
export const publishing = [
  (outbox: OutboxService) => outbox.publish(InvoiceCreated, { ...about, payload }),
  (outbox: OutboxService) => outbox.publish(InvoiceCreated, { ...about, payload }, { em: {} as EntityManager }),
  (outbox: OutboxService) => outbox.publishAll(InvoiceCreated, [{ ...about, payload }]),
  (outbox: OutboxService) =>
    outbox.publishAll([InvoiceCreated.of({ ...about, payload }), InvoiceDeleted.of({ ...about, payload })]),
  (outbox: OutboxService) => outbox.publishDetached(InvoiceCreated, { ...about, payload }),
  (outbox: OutboxService) => outbox.publish({ ...about, type: 'known.at.run.time', payload }),
  (outbox: OutboxService) => outbox.publish(AllOptional, about),
  (outbox: OutboxService) => outbox.publish(Untyped, about),
  (outbox: OutboxService) => outbox.publish(Untyped, { ...about, payload }),

  // @ts-expect-error the payload is missing
  (outbox: OutboxService) => outbox.publish(InvoiceCreated, about),
  // @ts-expect-error a field of the payload is missing
  (outbox: OutboxService) => outbox.publish(InvoiceCreated, { ...about, payload: { invoiceId: 'x' } }),
  // @ts-expect-error a field of the payload has another type
  (outbox: OutboxService) => outbox.publish(InvoiceCreated, { ...about, payload: { ...payload, totalCents: '1' } }),
  // @ts-expect-error a field that the schema does not know
  (outbox: OutboxService) => outbox.publish(InvoiceCreated, { ...about, payload: { ...payload, total: 1 } }),
  // @ts-expect-error the definition has the type
  (outbox: OutboxService) => outbox.publish(InvoiceCreated, { ...about, type: 'other.v1', payload }),
  // @ts-expect-error the tenant is missing
  (outbox: OutboxService) => outbox.publish(InvoiceCreated, { streamKey: 'a', payload }),
  // @ts-expect-error one of the payloads does not fit
  (outbox: OutboxService) => outbox.publishAll(InvoiceCreated, [{ ...about, payload: {} }]),
  // @ts-expect-error the payload of the second type does not fit
  () => [InvoiceCreated.of({ ...about, payload }), InvoiceDeleted.of({ ...about, payload: {} })],
  // @ts-expect-error a payload is an object
  (outbox: OutboxService) => outbox.publish({ ...about, type: 'a.v1', payload: 'text' }),
];

export class Handlers {
  @EventHandler(InvoiceCreated, { name: 'typed' })
  typed(_event: HandledEvent<typeof InvoiceCreated>, _em: EntityManager): void {}

  @EventHandler(InvoiceCreated, { name: 'part' })
  part(_event: { payload: { invoiceId: string } }): void {}

  @EventHandler([InvoiceCreated, InvoiceDeleted], { name: 'either', ordering: 'stream' })
  either(event: HandledEvent<typeof InvoiceCreated | typeof InvoiceDeleted>): void {
    if (event.type === 'invoice.created.v1') {
      expectTypeOf(event.payload.totalCents).toBeNumber();
    } else {
      expectTypeOf(event.payload).toEqualTypeOf<{ invoiceId: string }>();
    }
  }

  @EventHandler({ name: 'run-time', types: ['known.at.run.time'] })
  runTime(_event: HandledEvent): void {}

  // @ts-expect-error the parameter is of another event
  @EventHandler(InvoiceDeleted, { name: 'other' })
  other(_event: HandledEvent<typeof InvoiceCreated>): void {}

  // @ts-expect-error the handler takes one of the two events only
  @EventHandler([InvoiceCreated, InvoiceDeleted], { name: 'half' })
  half(_event: HandledEvent<typeof InvoiceCreated>): void {}

  // @ts-expect-error a field of the payload has another type
  @EventHandler(InvoiceCreated, { name: 'wrong' })
  wrong(_event: { payload: { totalCents: string } }): void {}

  // @ts-expect-error the definitions name the types
  @EventHandler(InvoiceCreated, { name: 'twice', types: ['a.v1'] })
  twice(_event: HandledEvent<typeof InvoiceCreated>): void {}
}

describe('typed events', () => {
  it('keeps the literal type and the payload of a definition', () => {
    expectTypeOf(InvoiceCreated.type).toEqualTypeOf<'invoice.created.v1'>();
    expectTypeOf<HandledEvent<typeof InvoiceCreated>['type']>().toEqualTypeOf<'invoice.created.v1'>();
    expectTypeOf<HandledEvent<typeof InvoiceCreated>['payload']>().toEqualTypeOf<{
      invoiceId: string;
      totalCents: number;
      note?: string | undefined;
    }>();
    expectTypeOf<HandledEvent['payload']>().toEqualTypeOf<Record<string, unknown>>();
    expectTypeOf<HandledEvent<typeof Untyped>['payload']>().toEqualTypeOf<Record<string, unknown>>();
    expectTypeOf<EventInput<typeof InvoiceCreated>['payload']>().toEqualTypeOf<
      HandledEvent<typeof InvoiceCreated>['payload']
    >();
    expect(InvoiceCreated.of({ ...about, payload })).toEqual({ ...about, payload, type: 'invoice.created.v1' });
  });
});
