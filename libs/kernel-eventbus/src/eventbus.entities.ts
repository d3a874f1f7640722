import { privacyEntities } from '@kernel/privacy';
import { secretsEntities } from '@kernel/secrets';
import { ActivityEntity } from './activity/activity.entity.js';
import { AdminTokenEntity } from './admin-token.entity.js';
import { LedgerEntryEntity, LedgerHeadEntity, LedgerSealEntity, LedgerVerificationEntity } from '@kernel/ledger';
import { EndpointCircuitEntity } from './endpoints/endpoint-circuit.entity.js';
import { WebhookDeliveryEntity } from './deliveries/webhook-delivery.entity.js';
import { ProcessedEventEntity } from './dispatch/handlers/processed-event.entity.js';
import { LaneEntity } from './deliveries/lane.entity.js';
import { IdempotencyKeyEntity } from './outbox/idempotency-key.entity.js';
import { OperationEntity } from './replay/operations/operation.entity.js';
import { OutboxEventEntity } from './outbox/outbox-event.entity.js';
import { StreamEntity } from './outbox/stream.entity.js';
import { WebhookEndpointEntity } from './endpoints/webhook-endpoint.entity.js';
import { WorkerEntity } from './worker/liveness/worker.entity.js';
import { RetainedEventEntity } from './upkeep/retained-event.entity.js';

/** `withEventBus` adds them to the `entities` of `MikroOrmModule.forRoot`. */
export const eventBusEntities = [
  OutboxEventEntity,
  RetainedEventEntity,
  StreamEntity,
  IdempotencyKeyEntity,
  WebhookEndpointEntity,
  WebhookDeliveryEntity,
  LaneEntity,
  EndpointCircuitEntity,
  WorkerEntity,
  ProcessedEventEntity,
  LedgerEntryEntity,
  LedgerSealEntity,
  LedgerHeadEntity,
  LedgerVerificationEntity,
  OperationEntity,
  ActivityEntity,
  AdminTokenEntity,
  ...privacyEntities,
  ...secretsEntities,
];
