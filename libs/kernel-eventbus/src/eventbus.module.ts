import { DiscoveryModule } from '@nestjs/core';
import { PrivacyModule } from '@kernel/privacy';
import { LastingKey, SecretsModule } from '@kernel/secrets';
import { EntityManager } from '@mikro-orm/postgresql';
import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { ActivityPruner } from './activity/activity-pruner.js';
import { ActivityRecorder } from './activity/activity-recorder.js';
import { WorkerCount } from './worker/liveness/worker-count.js';
import { BodyPreparer } from './request/body-preparer.js';
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
import { HandlerDispatcher } from './dispatch/handlers/handler-dispatcher.js';
import { HandlerEndpoints } from './dispatch/handlers/handler-endpoints.js';
import { HandlerRegistry } from './dispatch/handlers/handler-registry.js';
import { CircuitBreaker } from './worker/circuit/circuit-breaker.js';
import { Admission } from './worker/admission.js';
import { AttemptRecorder } from './worker/attempt-recorder.js';
import { AttemptReport } from './worker/attempt-report.js';
import { BatchRouting } from './worker/batch-routing.js';
import { Claimer } from './worker/claim/claimer.js';
import { DeliveryAttempt } from './worker/delivery-attempt.js';
import { DeliveryProcessor } from './worker/delivery-processor.js';
import { GoneEndpoints } from './worker/gone-endpoints.js';
import { HeldWork } from './worker/held-work.js';
import { LeaseKeeper } from './worker/lease-keeper.js';
import { LeaseReleaser } from './worker/lease-releaser.js';
import { Judge } from './worker/judge.js';
import { LaneRun } from './worker/lane-run.js';
import { QueueClaims } from './worker/claim/queue-claims.js';
import { EndpointHealth } from './worker/endpoint-health.js';
import { EndpointVersions } from './worker/endpoint-versions.js';
import { EndpointWatch } from './worker/endpoint-watch.js';
import { SendGate } from './worker/send-gate.js';
import { Slots, slotsFor } from './worker/slots.js';
import { SentBody } from './request/sent-body.js';
import { InFlightList } from './worker/in-flight-list.js';
import { Suspects } from './worker/suspects.js';
import { WebhookBody } from './request/webhook-body.js';
import { WorkTracker } from './worker/work-tracker.js';
import { WorkerLifecycle } from './worker/worker-lifecycle.js';
import { WorkerPresence } from './worker/worker-presence.js';
import { CorrelationIdProvider } from './outbox/domain-events/correlation-id-provider.js';
import { EventPublisher } from './outbox/domain-events/event-publisher.js';
import { OutboxEventPublisher } from './outbox/domain-events/outbox-event-publisher.js';
import { EventRegistry } from './envelope/event-registry.js';
import { EventBusConfigModule, type EventBusAsyncOptions } from './eventbus.module-definition.js';
import { EventBusConfig, type EventBusOptions } from './eventbus.options.js';
import { TraceMiddleware } from './trace/trace.middleware.js';
import { IdempotencyKeys } from './outbox/idempotency-keys.js';
import { OutboxRepository } from './outbox/outbox-repository.js';
import { OperationService } from './replay/operations/operation.service.js';
import { OperationRunner } from './replay/operations/operation-runner.js';
import { OperationWorks } from './replay/operations/operation-works.js';
import { OutboxService } from './outbox/outbox.service.js';
import { TransactionOutbox } from './outbox/transaction-outbox.js';
import { LedgerModule } from '@kernel/ledger';
import { OutgoingHttpModule } from '@kernel/outgoing-http';
import { TEST_WEBHOOK_LIMITS } from './dispatch/test-webhook-limits.js';
import { BulkReplay } from './replay/bulk-replay.js';
import { MissingReplay } from './replay/missing-replay.js';
import { ReplayService } from './replay/replay.service.js';
import { BatchWriter } from './routing/batch-writer.js';
import { EventFanOut } from './routing/event-fan-out.js';
import { Router } from './routing/router.js';
import { SubscriptionJudge } from './endpoints/subscriptions/subscription-judge.js';
import { AdaptivePolling } from './worker/liveness/adaptive-polling.js';
import { Random, Clock, TransientRetry, LostConnections, SilentConnections, PoolerWatch } from '@kernel/runtime';
import { Heartbeat } from './worker/liveness/heartbeat.js';
import { Pulse } from './worker/liveness/pulse.js';
import { RemoteWakeUp } from './worker/liveness/remote-wake-up.js';
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
      Random,
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
      OperationService,
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
      OperationService,
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
