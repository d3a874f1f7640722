import { DiscoveryModule } from '@nestjs/core';
import { PrivacyModule } from '@kernel/privacy';
import { LastingKey, SecretsModule } from '@kernel/secrets';
import { EntityManager } from '@mikro-orm/postgresql';
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
import { DispatchRunner } from './dispatch/dispatch-runner.js';
import { HeadersMiddleware } from './dispatch/headers-middleware.js';
import { HttpDispatcher } from './dispatch/http-dispatcher.js';
import { InvokerPipeline } from './dispatch/invoker-pipeline.js';
import { reserveOf } from './dispatch/reserve-of.js';
import { SigningMiddleware } from './dispatch/signing-middleware.js';
import { TracingMiddleware } from './dispatch/tracing-middleware.js';
import { HandlerDispatcher } from './handlers/handler-dispatcher.js';
import { HandlerEndpoints } from './handlers/handler-endpoints.js';
import { HandlerRegistry } from './handlers/handler-registry.js';
import { CircuitBreaker } from './circuit/circuit-breaker.js';
import { Admission } from './delivery/admission.js';
import { AttemptRecorder } from './delivery/attempt-recorder.js';
import { AttemptReport } from './delivery/attempt-report.js';
import { BatchRouting } from './delivery/batch-routing.js';
import { Claimer } from './delivery/claimer.js';
import { DeliveryAttempt } from './delivery/delivery-attempt.js';
import { DeliveryProcessor } from './delivery/delivery-processor.js';
import { GoneEndpoints } from './delivery/gone-endpoints.js';
import { HeldWork } from './delivery/held-work.js';
import { LeaseKeeper } from './delivery/lease-keeper.js';
import { LeaseReleaser } from './delivery/lease-releaser.js';
import { Judge } from './delivery/judge.js';
import { LaneRun } from './delivery/lane-run.js';
import { QueueClaims } from './delivery/queue-claims.js';
import { EndpointHealth } from './delivery/endpoint-health.js';
import { EndpointVersions } from './delivery/endpoint-versions.js';
import { EndpointWatch } from './delivery/endpoint-watch.js';
import { SendGate } from './delivery/send-gate.js';
import { Slots, slotsFor } from './delivery/slots.js';
import { SentBody } from './delivery/sent-body.js';
import { InFlightList } from './delivery/in-flight-list.js';
import { Suspects } from './delivery/suspects.js';
import { WebhookBody } from './delivery/webhook-body.js';
import { WorkTracker } from './delivery/work-tracker.js';
import { WorkerLifecycle } from './delivery/worker-lifecycle.js';
import { WorkerPresence } from './delivery/worker-presence.js';
import { CorrelationIdProvider } from './domain-events/correlation-id-provider.js';
import { EventPublisher } from './domain-events/event-publisher.js';
import { OutboxEventPublisher } from './domain-events/outbox-event-publisher.js';
import { EventRegistry } from './envelope/event-registry.js';
import { EventBusConfigModule, type EventBusAsyncOptions } from './eventbus.module-definition.js';
import { EventBusConfig, type EventBusOptions } from './eventbus.options.js';
import { TraceMiddleware } from './http/trace.middleware.js';
import { IdempotencyKeys } from './outbox/idempotency-keys.js';
import { OutboxRepository } from './outbox/outbox-repository.js';
import { OperationDesk } from './operations/operation-desk.js';
import { OperationRunner } from './operations/operation-runner.js';
import { OperationWorks } from './operations/operation-works.js';
import { OutboxService } from './outbox/outbox.service.js';
import { TransactionOutbox } from './outbox/transaction-outbox.js';
import { LedgerModule } from './audit/ledger.module.js';
import { OutgoingHttpModule } from './outgoing/outgoing-http.module.js';
import { TEST_WEBHOOK_LIMITS } from './outgoing/test-webhook-limits.js';
import { BulkReplay } from './replay/bulk-replay.js';
import { MissingReplay } from './replay/missing-replay.js';
import { ReplayService } from './replay/replay.service.js';
import { BatchWriter } from './routing/batch-writer.js';
import { EventFanOut } from './routing/event-fan-out.js';
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

/**
 * Requires `MikroOrmModule.forRoot({ entities: [...eventBusEntities] })` and `ScheduleModule.forRoot()` in the host.
 */
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
  const ledger = LedgerModule.forRootAsync({
    imports: [configModule, secrets],
    inject: [EventBusConfig, LastingKey],
    useFactory: ({ role, sealing, verification }: EventBusConfig, keys: LastingKey) => ({
      ...{ isWorker: role !== 'api', sealing, verification, keys },
    }),
  });
  const outgoing = OutgoingHttpModule.forRootAsync({
    imports: [configModule],
    inject: [EventBusConfig],
    useFactory: ({ allowHttp, allowedCidrs, allowedOrigins, dns, settingNames, concurrency }: EventBusConfig) => ({
      guard: { allowHttp, allowedCidrs, allowedOrigins, dns, settingNames },
      // Enough sockets for everything in flight to go to one origin: no request waits for another's socket.
      connectionsPerPool: concurrency + reserveOf(concurrency) + TEST_WEBHOOK_LIMITS.total,
    }),
  });
  return {
    module: EventBusModule,
    global: true,
    imports: [configModule, secrets, privacy, ledger, outgoing, DiscoveryModule],
    providers: [
      // runtime
      LostConnections,
      SilentConnections,
      {
        provide: PoolerWatch,
        inject: [EntityManager, EventBusConfig],
        useFactory: (em: EntityManager, { preparedStatements }: EventBusConfig) =>
          new PoolerWatch(em, preparedStatements),
      },
      StartChecks,
      Clock,
      Chance,
      StageHooks,
      PipelineObservers,
      ActivityRecorder,
      WorkerCount,
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
      BatchWriter,
      EventFanOut,
      Router,
      // dispatch
      HttpDispatcher,
      HandlerDispatcher,
      DispatcherRegistry,
      Capabilities,
      DispatchCoordinator,
      DispatchRunner,
      TracingMiddleware,
      HeadersMiddleware,
      SigningMiddleware,
      InvokerPipeline,
      BroadcastPipeline,
      EndpointInvoker,
      // handlers
      HandlerRegistry,
      HandlerEndpoints,
      // delivery
      EndpointVersions,
      SendGate,
      InFlightList,
      BodyPreparer,
      WebhookBody,
      SentBody,
      CircuitBreaker,
      GoneEndpoints,
      LeaseReleaser,
      Admission,
      Judge,
      EndpointHealth,
      AttemptReport,
      AttemptRecorder,
      DeliveryAttempt,
      LeaseKeeper,
      LaneRun,
      HeldWork,
      { provide: Slots, inject: [EventBusConfig], useFactory: slotsFor },
      Claimer,
      QueueClaims,
      WorkTracker,
      Suspects,
      BatchRouting,
      DeliveryProcessor,
      WorkerPresence,
      WorkerLifecycle,
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
      ledger,
      outgoing,
      EventRegistry,
      OutboxService,
      OutboxRepository,
      CorrelationIdProvider,
      EventPublisher,
      ReplayService,
      OperationDesk,
      EndpointInvoker,
      DispatchRunner,
      DispatcherRegistry,
      BodyPreparer,
      SubscriptionJudge,
      WebhookBody,
      SentBody,
      Clock,
      WakeUp,
      PipelineObservers,
      WorkerCount,
      LeaseKeeper,
      PartitionKeeper,
      RetentionKeeper,
      RetentionForecast,
    ],
  };
}
