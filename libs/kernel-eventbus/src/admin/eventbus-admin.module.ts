import { Module } from '@nestjs/common';
import { TokenRecognizer } from './access/token-recognizer.js';
import { AuditController } from './audit/audit.controller.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { EndpointDryRun } from './endpoints/endpoint-dry-run.js';
import { EndpointEditor } from './endpoints/endpoint-editor.js';
import { EndpointDispatcherCheck } from './endpoints/endpoint-dispatcher-check.js';
import { EndpointOrderingCheck } from './endpoints/endpoint-ordering-check.js';
import { EndpointPinger } from './endpoints/endpoint-pinger.js';
import { EndpointSecret } from './endpoints/endpoint-secret.js';
import { EndpointSubscriptionCheck } from './endpoints/endpoint-subscription-check.js';
import { EndpointUrlCheck } from './endpoints/endpoint-url-check.js';
import { EndpointsController } from './endpoints/endpoints.controller.js';
import { EventPreview } from './events/event-preview.js';
import { EventsController } from './events/events.controller.js';
import { LaneSkipper } from './lanes/lane-skipper.js';
import { LanesController } from './lanes/lanes.controller.js';
import { BulkReplayController } from './operations/bulk-replay.controller.js';
import { EndpointOperationsController } from './operations/endpoint-operations.controller.js';
import { OperationOrders } from './operations/operation-orders.js';
import { OperationsController } from './operations/operations.controller.js';
import { PoliciesController } from './policies/policies.controller.js';
import { SecretKeeper } from './secrets/secret-keeper.js';
import { SecretsController } from './secrets/secrets.controller.js';
import { TokenIssuer } from './tokens/token-issuer.js';
import { TokensController } from './tokens/tokens.controller.js';
import { PartitionsController } from './upkeep/partitions.controller.js';
import { PruneController } from './upkeep/prune.controller.js';

/** The admin API under `/admin/eventbus`. Needs `EventBusModule` beside it. */
@Module({
  controllers: [
    EndpointsController,
    EventsController,
    DeliveriesController,
    LanesController,
    BulkReplayController,
    EndpointOperationsController,
    OperationsController,
    PoliciesController,
    AuditController,
    TokensController,
    SecretsController,
    PartitionsController,
    PruneController,
  ],
  providers: [
    TokenRecognizer,
    TokenIssuer,
    SecretKeeper,
    EndpointEditor,
    EndpointSecret,
    EndpointUrlCheck,
    EndpointDispatcherCheck,
    EndpointOrderingCheck,
    EndpointSubscriptionCheck,
    EndpointPinger,
    EndpointDryRun,
    EventPreview,
    LaneSkipper,
    OperationOrders,
  ],
})
export class EventBusAdminModule {}
