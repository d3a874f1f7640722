import { z } from 'zod';

/** PENDING: not attempted yet. FAILED: failed at least once, retry scheduled. DELIVERED and DLQ are finished. */
export const DeliveryStatus = z.union([
  z.literal('PENDING'),
  z.literal('DELIVERED'),
  z.literal('FAILED'),
  z.literal('DLQ'),
]);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

/** KER-3.3: the delivery of one event to one endpoint. */
export const WebhookDelivery = z.object({
  deliveryId: z.guid(),
  tenantId: z.guid(),
  endpointId: z.guid(),
  eventId: z.guid(),
  status: DeliveryStatus,
  attempts: z.number().int(),
  lastStatusCode: z.number().int().optional(),
  traceId: z.string().min(8),
  nextAttemptAt: z.iso.datetime().optional(),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;
