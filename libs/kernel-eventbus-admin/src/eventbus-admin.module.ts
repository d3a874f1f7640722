import { kernelOrmProviders } from '@kernel/eventbus/engine';
import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { moveController } from './access/admin-controller.js';
import { FailedAttempts } from './access/failed-attempts.js';
import { TokenLookupLimiter } from './access/token-lookup-limiter.js';
import { TokenRecognizer } from './access/token-recognizer.js';
import { TokenSeal } from './access/token-seal.js';
import { AuditController } from './ledger/audit.controller.js';
import { LedgerProofController } from './ledger/ledger-proof.controller.js';
import { DeadLetterGroupsController } from './deliveries/dead-letter-groups.controller.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DraftDryRunController } from './endpoints/draft-dry-run.controller.js';
import { SentBodyController } from './deliveries/sent-body.controller.js';
import { EndpointDryRun } from './endpoints/endpoint-dry-run.js';
import { EndpointHealthController } from './endpoints/endpoint-health.controller.js';
import { EndpointSecretController } from './endpoints/endpoint-secret.controller.js';
import { EndpointsController } from './endpoints/endpoints.controller.js';
import { EventPreview } from './events/event-preview.js';
import { EventsController } from './events/events.controller.js';
import { LaneSkipper } from './lanes/lane-skipper.js';
import { LanesController } from './lanes/lanes.controller.js';
import { BulkReplayController } from './operations/bulk-replay.controller.js';
import { EndpointOperationsController } from './operations/endpoint-operations.controller.js';
import { OperationsController } from './operations/operations.controller.js';
import { PoliciesController } from './policies/policies.controller.js';
import { PolicyLabelCheck } from './policies/policy-label-check.js';
import { PolicyPreview } from './policies/policy-preview.js';
import { PolicyPreviewController } from './policies/policy-preview.controller.js';
import { PolicyEditor } from './policies/policy-editor.js';
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
import { type EventBusAdminOptions, resolveAdminOptions } from './admin.options.js';

const CONTROLLERS: Type[] = [
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
];

const PROVIDERS: Provider[] = [
  ...kernelOrmProviders,
  TokenSeal,
  TokenRecognizer,
  FailedAttempts,
  TokenLookupLimiter,
  TokenIssuer,
  OneTimeCode,
  PresentState,
  DeliveryWatch,
  ChangedDeliveries,
  StreamListeners,
  EndpointDryRun,
  EventPreview,
  LaneSkipper,
  PolicyEditor,
  PolicyLabelCheck,
  PolicyPreview,
];

/** Without providers of its own, which would join those of `forRoot`. */
@Module({})
class ConfiguredAdminModule {}

/** The admin API under `/admin/eventbus`, or at the path of `forRoot`. Needs `EventBusModule` beside it. */
@Module({ controllers: CONTROLLERS, providers: PROVIDERS })
export class EventBusAdminModule {
  static forRoot(options: EventBusAdminOptions = {}): DynamicModule {
    const { path, decorators, swagger } = resolveAdminOptions(options);
    const all = swagger ? decorators : [...decorators, ApiExcludeController()];
    const controllers = CONTROLLERS.map((controller) => moveController(controller, { path, decorators: all }));
    return { module: ConfiguredAdminModule, controllers, providers: PROVIDERS };
  }
}
