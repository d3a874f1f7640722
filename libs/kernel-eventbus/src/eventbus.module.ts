import { DiscoveryModule } from '@nestjs/core';
import { PrivacyModule } from '@kernel/privacy';
import { LastingKey, SecretsModule } from '@kernel/secrets';
import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { ActivityPruner } from './activity/activity-pruner.js';
import { ActivityRecorder } from './activity/activity-recorder.js';
import { WorkerCount } from './activity/worker-count.js';
import { BodyPreparer } from './delivery/body-preparer.js';
import { BroadcastPipeline } from './dispatch/broadcast-pipeline.js';
import { Capabilities } from './dispatch/capabilities.js';
import { DispatchCoordinator } from './dispatch/dispatch-coordinator.js';
import { DispatcherRegistry } from './dispatch/dispatcher-registry.js';
import { EndpointInvoker } from './dispatch/endpoint-invoker.js';
import { Handover } from './dispatch/handover.js';
import { HeadersMiddleware } from './dispatch/headers-middleware.js';
import { HttpDispatcher } from './dispatch/http-dispatcher.js';
import { InvokerPipeline } from './dispatch/invoker-pipeline.js';
import { SigningMiddleware } from './dispatch/signing-middleware.js';
import { TracingMiddleware } from './dispatch/tracing-middleware.js';
import { HandlerEndpoints } from './handlers/handler-endpoints.js';
import { HandlerInvoker } from './handlers/handler-invoker.js';
import { HandlerRegistry } from './handlers/handler-registry.js';
import { ChainWatch } from './audit/sealing/chain-watch.js';
import { LedgerExporter } from './audit/sealing/ledger-exporter.js';
import { LedgerSealer } from './audit/sealing/ledger-sealer.js';
import { LedgerVerifier } from './audit/sealing/ledger-verifier.js';
import { BackgroundVerifier } from './audit/verification/background-verifier.js';
import { OrderedVerifier } from './audit/verification/ordered-verifier.js';
import { VerificationMemory } from './audit/verification/verification-memory.js';
import { SealKey } from './audit/sealing/seal-key.js';
import { CircuitBreaker } from './circuit/circuit-breaker.js';
import { DeliveryAttempt } from './delivery/delivery-attempt.js';
import { DeliveryProcessor } from './delivery/delivery-processor.js';
import { GoneEndpoints } from './delivery/gone-endpoints.js';
import { HeldWork } from './delivery/held-work.js';
import { LeaseKeeper } from './delivery/lease-keeper.js';
import { LaneRun } from './delivery/lane-run.js';
import { EndpointChanges } from './delivery/endpoint-changes.js';
import { EndpointWatch } from './delivery/endpoint-watch.js';
import { SendGate } from './delivery/send-gate.js';
import { reserveOf } from './delivery/slots.js';
import { SettlementRecorder } from './delivery/settlement-recorder.js';
import { SentBody } from './delivery/sent-body.js';
import { InFlightList } from './delivery/in-flight-list.js';
import { Suspects } from './delivery/suspects.js';
import { WebhookBody } from './delivery/webhook-body.js';
import { CorrelationIdProvider } from './domain-events/correlation-id-provider.js';
import { EventPublisher } from './domain-events/event-publisher.js';
import { OutboxEventPublisher } from './domain-events/outbox-event-publisher.js';
import { EventRegistry } from './envelope/event-registry.js';
import { EventBusConfigModule, type EventBusAsyncOptions } from './eventbus.module-definition.js';
import { EventBusConfig, type EventBusOptions } from './eventbus.options.js';
import { TraceMiddleware } from './http/trace.middleware.js';
import { DeliveryWatch } from './live/delivery-watch.js';
import { IdempotencyKeys } from './outbox/idempotency-keys.js';
import { LedgerChainStatus } from './metrics/ledger-chain-status.js';
import { OutboxRepository } from './outbox/outbox-repository.js';
import { OperationDesk } from './operations/operation-desk.js';
import { OperationRunner } from './operations/operation-runner.js';
import { OperationWorks } from './operations/operation-works.js';
import { OutboxService } from './outbox/outbox.service.js';
import { TransactionOutbox } from './outbox/transaction-outbox.js';
import { directHttpService } from './outgoing/direct-axios.js';
import { OutgoingGuard } from './outgoing/outgoing-guard.js';
import { OutgoingHttp } from './outgoing/outgoing-http.js';
import { PinnedPools } from './outgoing/pinned-pools.js';
import { TEST_WEBHOOK_LIMITS } from './outgoing/test-webhook-limits.js';
import { BulkReplay } from './replay/bulk-replay.js';
import { MissingReplay } from './replay/missing-replay.js';
import { ReplayService } from './replay/replay.service.js';
import { Router } from './routing/router.js';
import { SubscriptionJudge } from './routing/subscription-judge.js';
import { AdaptivePolling } from './runtime/adaptive-polling.js';
import { Chance } from './runtime/chance.js';
import { Clock } from './runtime/clock.js';
import { Heartbeat } from './runtime/heartbeat.js';
import { Pulse } from './runtime/pulse.js';
import { TransientRetry } from './runtime/transient-retry.js';
import { LostConnections } from './runtime/lost-connections.js';
import { SilentConnections } from './runtime/silent-connections.js';
import { PoolerWatch } from './runtime/pooler-watch.js';
import { RemoteWakeUp } from './runtime/remote-wake-up.js';
import { StartChecks } from './runtime/start-checks.js';
import { StageHooks } from './runtime/stage-hooks.js';
import { WakeUp } from './runtime/wake-up.js';
import { WorkerIdentity } from './runtime/worker-identity.js';
import { PipelineObservers } from './telemetry/pipeline-observers.js';
import { BatchPruner } from './upkeep/batch-pruner.js';
import { LockPatience } from './upkeep/lock-patience.js';
import { PartitionDropper } from './upkeep/partition-dropper.js';
import { PartitionKeeper } from './upkeep/partition-keeper.js';
import { Rescuer } from './upkeep/rescuer.js';
import { RetentionForecast } from './upkeep/retention-forecast.js';
import { RetentionKeeper } from './upkeep/retention-keeper.js';
import { UpkeepSchedule } from './upkeep/upkeep-schedule.js';

/** Needs `MikroOrmModule.forRoot({ entities: [...eventBusEntities] })` and `ScheduleModule.forRoot()` beside it. */
@Module({})
export class EventBusModule implements NestModule {
  static forRoot(options: EventBusOptions): DynamicModule {
    return assemble(EventBusConfigModule.forRoot(options));
  }

  static forRootAsync(options: EventBusAsyncOptions): DynamicModule {
    return assemble(EventBusConfigModule.forRootAsync(options));
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(TraceMiddleware).forRoutes('{*path}');
  }
}

function assemble(configModule: DynamicModule): DynamicModule {
  const secrets = SecretsModule.forRootAsync({
    imports: [configModule],
    inject: [EventBusConfig],
    useFactory: ({ masterKey, previousMasterKey, secretsProvider }: EventBusConfig) => ({
      ...{ masterKey, previousMasterKey, provider: secretsProvider },
    }),
  });
  const privacy = PrivacyModule.forRootAsync({
    imports: [configModule, secrets],
    inject: [EventBusConfig, LastingKey],
    useFactory: ({ events }: EventBusConfig, lastingKey: LastingKey) => {
      const declared = new Map(events.map(({ type, privacy }) => [type, privacy]));
      return {
        tenantHashKey: (tenantId: string) => lastingKey.derive('privacy-hash', tenantId),
        eventPrivacy: (type: string) => declared.get(type),
      };
    },
  });
  return {
    module: EventBusModule,
    global: true,
    imports: [configModule, secrets, privacy, DiscoveryModule],
    providers: [
      // runtime
      LostConnections,
      SilentConnections,
      PoolerWatch,
      StartChecks,
      Clock,
      Chance,
      StageHooks,
      PipelineObservers,
      ActivityRecorder,
      WorkerCount,
      DeliveryWatch,
      WakeUp,
      RemoteWakeUp,
      WorkerIdentity,
      AdaptivePolling,
      Pulse,
      Heartbeat,
      TransientRetry,
      // publish
      {
        provide: EventRegistry,
        inject: [EventBusConfig],
        useFactory: ({ events }: EventBusConfig) => new EventRegistry(events),
      },
      TransactionOutbox,
      IdempotencyKeys,
      OutboxService,
      OutboxRepository,
      CorrelationIdProvider,
      { provide: EventPublisher, useClass: OutboxEventPublisher },
      // routing
      SubscriptionJudge,
      Router,
      // dispatch
      HttpDispatcher,
      DispatcherRegistry,
      Capabilities,
      DispatchCoordinator,
      Handover,
      TracingMiddleware,
      HeadersMiddleware,
      SigningMiddleware,
      InvokerPipeline,
      BroadcastPipeline,
      EndpointInvoker,
      // handlers
      HandlerRegistry,
      HandlerEndpoints,
      HandlerInvoker,
      // delivery
      { provide: OutgoingGuard, inject: [EventBusConfig], useFactory: toGuard },
      { provide: PinnedPools, inject: [EventBusConfig], useFactory: toPools },
      directHttpService,
      OutgoingHttp,
      EndpointChanges,
      SendGate,
      InFlightList,
      BodyPreparer,
      WebhookBody,
      SentBody,
      CircuitBreaker,
      GoneEndpoints,
      DeliveryAttempt,
      SettlementRecorder,
      LeaseKeeper,
      LaneRun,
      HeldWork,
      Suspects,
      DeliveryProcessor,
      EndpointWatch,
      // upkeep
      Rescuer,
      LockPatience,
      PartitionKeeper,
      PartitionDropper,
      BatchPruner,
      RetentionKeeper,
      RetentionForecast,
      ActivityPruner,
      UpkeepSchedule,
      // ledger
      { provide: SealKey, inject: [LastingKey], useFactory: (key: LastingKey) => new SealKey(key) },
      ChainWatch,
      { provide: LedgerChainStatus, useExisting: ChainWatch },
      LedgerSealer,
      LedgerVerifier,
      VerificationMemory,
      BackgroundVerifier,
      OrderedVerifier,
      LedgerExporter,
      // replay
      ReplayService,
      BulkReplay,
      MissingReplay,
      OperationWorks,
      OperationDesk,
      OperationRunner,
    ],
    exports: [
      configModule,
      secrets,
      privacy,
      EventRegistry,
      OutboxService,
      OutboxRepository,
      CorrelationIdProvider,
      EventPublisher,
      ReplayService,
      OperationDesk,
      OutgoingGuard,
      OutgoingHttp,
      EndpointInvoker,
      Handover,
      DispatcherRegistry,
      BodyPreparer,
      SubscriptionJudge,
      WebhookBody,
      SentBody,
      Clock,
      WakeUp,
      PipelineObservers,
      WorkerCount,
      DeliveryWatch,
      LeaseKeeper,
      PartitionKeeper,
      RetentionKeeper,
      LedgerChainStatus,
      LedgerSealer,
      LedgerVerifier,
      OrderedVerifier,
      LedgerExporter,
      RetentionForecast,
    ],
  };
}

function toGuard({ allowHttp, allowedCidrs, allowedOrigins, dns, settingNames }: EventBusConfig): OutgoingGuard {
  return new OutgoingGuard({ allowHttp, allowedCidrs, allowedOrigins, dns, settingNames });
}

/** Sockets for everything that may be in flight, should it all go to one origin: no request waits for the socket of another. */
function toPools({ concurrency }: EventBusConfig): PinnedPools {
  return new PinnedPools({ connectionsPerPool: concurrency + reserveOf(concurrency) + TEST_WEBHOOK_LIMITS.total });
}
