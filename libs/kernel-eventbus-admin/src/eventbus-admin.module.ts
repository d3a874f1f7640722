import { Module } from '@nestjs/common';
import { FailedAttempts } from './access/failed-attempts.js';
import { TokenLookupLimiter } from './access/token-lookup-limiter.js';
import { TenantScope } from './access/tenant-scope.js';
import { TokenRecognizer } from './access/token-recognizer.js';
import { TenantBudgets } from './budgets/tenant-budgets.js';
import { TokenSeal } from './access/token-seal.js';
import { AuditController } from './ledger/audit.controller.js';
import { LedgerProofController } from './ledger/ledger-proof.controller.js';
import { LedgerSearch } from './ledger/ledger-search.js';
import { DeadLetterGroupsController } from './deliveries/dead-letter-groups.controller.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DraftDryRunController } from './endpoints/draft-dry-run.controller.js';
import { SentBodyController } from './deliveries/sent-body.controller.js';
import { EndpointDryRun } from './endpoints/endpoint-dry-run.js';
import { EndpointHealthController } from './endpoints/endpoint-health.controller.js';
import { EndpointEditor } from './endpoints/endpoint-editor.js';
import { EndpointDestinationCheck } from './endpoints/endpoint-destination-check.js';
import { EndpointOrderingCheck } from './endpoints/endpoint-ordering-check.js';
import { EndpointChecks } from './endpoints/endpoint-checks.js';
import { EndpointLimitCheck } from './endpoints/endpoint-limit-check.js';
import { EndpointPinger } from './endpoints/endpoint-pinger.js';
import { EndpointHeaderCheck } from './endpoints/endpoint-header-check.js';
import { EndpointRotation } from './endpoints/endpoint-rotation.js';
import { EndpointSecretController } from './endpoints/endpoint-secret.controller.js';
import { EndpointSecret } from './endpoints/endpoint-secret.js';
import { EndpointSubscriptionCheck } from './endpoints/endpoint-subscription-check.js';
import { EndpointsController } from './endpoints/endpoints.controller.js';
import { EventPreview } from './events/event-preview.js';
import { EventsController } from './events/events.controller.js';
import { LaneSkipper } from './lanes/lane-skipper.js';
import { LanesController } from './lanes/lanes.controller.js';
import { BulkReplayController } from './operations/bulk-replay.controller.js';
import { EndpointOperationsController } from './operations/endpoint-operations.controller.js';
import { OperationRequests } from './operations/operation-requests.js';
import { OperationsController } from './operations/operations.controller.js';
import { PoliciesController } from './policies/policies.controller.js';
import { PolicyLabelCheck } from './policies/policy-label-check.js';
import { PolicyPreview } from './policies/policy-preview.js';
import { PolicyPreviewController } from './policies/policy-preview.controller.js';
import { PolicyEditor } from './policies/policy-editor.js';
import { SecretKeeper } from './secrets/secret-keeper.js';
import { SecretKinds } from './secrets/secret-kinds.js';
import { SecretsController } from './secrets/secrets.controller.js';
import { OneTimeCode } from './session/one-time-code.js';
import { SessionController } from './session/session.controller.js';
import { SignInController } from './session/sign-in.controller.js';
import { PresentState } from './stats/present-state.js';
import { StatsController } from './stats/stats.controller.js';
import { DeliveryWatch } from './live/delivery-watch.js';
import { ChangedDeliveries } from './live/changed-deliveries.js';
import { StreamController } from './live/stream.controller.js';
import { StreamListeners } from './live/stream-listeners.js';
import { TenantsController } from './tenants/tenants.controller.js';
import { TokenIssuer } from './tokens/token-issuer.js';
import { TokensController } from './tokens/tokens.controller.js';
import { PartitionsController } from './upkeep/partitions.controller.js';
import { PruneController } from './upkeep/prune.controller.js';

/** The admin API under `/admin/eventbus`. Needs `EventBusModule` beside it. */
@Module({
  controllers: [
    SessionController,
    SignInController,
    TenantsController,
    StatsController,
    StreamController,
    // Before the controllers with an `:id` at the same position.
    EndpointHealthController,
    DeadLetterGroupsController,
    EndpointsController,
    DraftDryRunController,
    EndpointSecretController,
    EventsController,
    DeliveriesController,
    SentBodyController,
    LanesController,
    BulkReplayController,
    EndpointOperationsController,
    OperationsController,
    PoliciesController,
    PolicyPreviewController,
    AuditController,
    LedgerProofController,
    TokensController,
    SecretsController,
    PartitionsController,
    PruneController,
  ],
  providers: [
    TokenSeal,
    TokenRecognizer,
    FailedAttempts,
    TokenLookupLimiter,
    TenantScope,
    TenantBudgets,
    LedgerSearch,
    TokenIssuer,
    OneTimeCode,
    PresentState,
    DeliveryWatch,
    ChangedDeliveries,
    StreamListeners,
    SecretKeeper,
    SecretKinds,
    EndpointEditor,
    EndpointSecret,
    EndpointHeaderCheck,
    EndpointRotation,
    EndpointDestinationCheck,
    EndpointOrderingCheck,
    EndpointSubscriptionCheck,
    EndpointLimitCheck,
    EndpointChecks,
    EndpointPinger,
    EndpointDryRun,
    EventPreview,
    LaneSkipper,
    PolicyEditor,
    PolicyLabelCheck,
    PolicyPreview,
    OperationRequests,
  ],
})
export class EventBusAdminModule {}
