import { LedgerModule } from '@kernel/ledger';
import { OutgoingHttpModule } from '@kernel/outgoing-http';
import { PrivacyModule } from '@kernel/privacy';
import { Clock } from '@kernel/runtime';
import { LastingKey, SecretsModule } from '@kernel/secrets';
import { MikroORM } from '@mikro-orm/postgresql';
import { type DynamicModule, Inject, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { DiscoveryModule, HttpAdapterHost } from '@nestjs/core';
import { accessProviders } from './access/access.providers.js';
import { TenantScope } from './access/tenant-scope.js';
import { activityProviders } from './activity/activity.providers.js';
import { dispatchProviders } from './dispatch/dispatch.providers.js';
import { DispatchRunner } from './dispatch/dispatch-runner.js';
import { DispatcherRegistry } from './dispatch/dispatcher-registry.js';
import { EndpointInvoker } from './dispatch/endpoint-invoker.js';
import { reserveOf } from './dispatch/reserve-of.js';
import { TEST_WEBHOOK_LIMITS } from './dispatch/test-webhook-limits.js';
import { endpointsProviders } from './endpoints/endpoints.providers.js';
import { SubscriptionJudge } from './endpoints/subscriptions/subscription-judge.js';
import { envelopeProviders } from './envelope/envelope.providers.js';
import { EventRegistry } from './envelope/event-registry.js';
import { EventBusConfig } from './eventbus.config.js';
import { eventBusEntities } from './eventbus.entities.js';
import { EventBusConfigModule, type EventBusAsyncOptions } from './eventbus.module-definition.js';
import type { EventBusOptions, OrmContext } from './eventbus.options.js';
import { TenantBudgets } from './management/budgets/tenant-budgets.js';
import { EndpointReader } from './management/endpoints/endpoint-reader.js';
import { EndpointRequests } from './management/endpoints/endpoint-requests.js';
import { EndpointRotation } from './management/endpoints/endpoint-rotation.js';
import { EndpointSubscriptionCheck } from './management/endpoints/endpoint-subscription-check.js';
import { EndpointService } from './management/endpoints/endpoint.service.js';
import { LedgerReader } from './management/ledger/ledger-reader.js';
import { managementProviders } from './management/management.providers.js';
import { SecretKeeper } from './management/secrets/secret-keeper.js';
import { SecretKinds } from './management/secrets/secret-kinds.js';
import { CorrelationIdProvider } from './outbox/domain-events/correlation-id-provider.js';
import { EventPublisher } from './outbox/domain-events/event-publisher.js';
import { OutboxRepository } from './outbox/outbox-repository.js';
import { outboxProviders } from './outbox/outbox.providers.js';
import { OutboxService } from './outbox/outbox.service.js';
import { OperationService } from './replay/operations/operation.service.js';
import { replayProviders } from './replay/replay.providers.js';
import { DeliveryReplay } from './replay/delivery-replay.js';
import { ReplayService } from './replay/replay.service.js';
import { requestProviders } from './request/request.providers.js';
import { SentBody } from './request/sent-body.js';
import { WebhookBody } from './request/webhook-body.js';
import { routingProviders } from './routing/routing.providers.js';
import { KernelEntities } from './runtime/kernel-entities.js';
import { inContext, KernelOrm, ormProviders } from './runtime/orm-context.js';
import { runtimeProviders } from './runtime/runtime.providers.js';
import { WakeUp } from './runtime/wake-up.js';
import { PipelineObservers } from './telemetry/pipeline-observers.js';
import { telemetryProviders } from './telemetry/telemetry.providers.js';
import { keepTraceInFastify } from './trace/keep-trace-in-fastify.js';
import { TraceMiddleware } from './trace/trace.middleware.js';
import { PartitionKeeper } from './upkeep/partition-keeper.js';
import { RetentionForecast } from './upkeep/retention-forecast.js';
import { RetentionKeeper } from './upkeep/retention-keeper.js';
import { upkeepProviders } from './upkeep/upkeep.providers.js';
import { LeaseKeeper } from './worker/lease-keeper.js';
import { livenessProviders } from './worker/liveness/liveness.providers.js';
import { WorkerCount } from './worker/liveness/worker-count.js';
import { workerProviders } from './worker/worker.providers.js';

/** Requires `MikroOrmModule.forRoot(withEventBus({ ... }))` in the host. */
@Module({})
export class EventBusModule implements NestModule {
  @Inject(HttpAdapterHost)
  private readonly adapterHost!: HttpAdapterHost;

  static forRoot(options: EventBusOptions & OrmContext): DynamicModule {
    const { contextName, ...engine } = options;
    return assemble(EventBusConfigModule.forRoot(engine), contextName);
  }

  static forRootAsync(options: EventBusAsyncOptions & OrmContext): DynamicModule {
    const { contextName, ...engine } = options;
    return assemble(EventBusConfigModule.forRootAsync(engine), contextName);
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(TraceMiddleware).forRoutes('{*path}');
    keepTraceInFastify(this.adapterHost);
  }
}

function assemble(configModule: DynamicModule, contextName: string | undefined): DynamicModule {
  const secrets = inContext(
    SecretsModule.forRootAsync({
      imports: [configModule],
      inject: [EventBusConfig],
      useFactory: ({ masterKey, previousMasterKey, secretsProvider }: EventBusConfig) => ({
        ...{ masterKey, previousMasterKey, provider: secretsProvider },
      }),
    }),
    contextName,
  );
  const privacy = inContext(
    PrivacyModule.forRootAsync({
      imports: [configModule, secrets],
      inject: [EventBusConfig, LastingKey],
      useFactory: ({ events }: EventBusConfig, lastingKey: LastingKey) => {
        const declared = new Map(events.map(({ type, privacy }) => [type, privacy]));
        return {
          tenantHashKey: (tenantId: string) => lastingKey.derive('privacy-hash', tenantId),
          eventPrivacy: (type: string) => declared.get(type),
        };
      },
    }),
    contextName,
  );
  const ledger = inContext(
    LedgerModule.forRootAsync({
      imports: [configModule, secrets],
      inject: [EventBusConfig, LastingKey],
      useFactory: ({ role, sealing, verification }: EventBusConfig, keys: LastingKey) => ({
        isWorker: role !== 'api',
        sealing,
        verification,
        keys,
      }),
    }),
    contextName,
  );
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
    // Within a level of dependencies, Nest runs lifecycle hooks in this order.
    providers: [
      ...ormProviders(contextName),
      { provide: KernelOrm, inject: [MikroORM], useFactory: (orm: MikroORM) => new KernelOrm(orm) },
      { provide: KernelEntities, useValue: new KernelEntities(eventBusEntities) },
      ...runtimeProviders,
      ...telemetryProviders,
      ...activityProviders,
      ...livenessProviders,
      // publish
      ...envelopeProviders,
      ...outboxProviders,
      // route
      ...endpointsProviders,
      ...routingProviders,
      // deliver
      ...dispatchProviders,
      ...requestProviders,
      ...workerProviders,
      // repair and remove
      ...upkeepProviders,
      // send again
      ...replayProviders,
      // manage
      ...accessProviders,
      ...managementProviders,
    ],
    exports: [
      configModule,
      secrets,
      privacy,
      ledger,
      outgoing,
      KernelOrm,
      KernelEntities,
      EventRegistry,
      OutboxService,
      OutboxRepository,
      CorrelationIdProvider,
      EventPublisher,
      ReplayService,
      EndpointService,
      LedgerReader,
      TenantScope,
      TenantBudgets,
      SecretKeeper,
      SecretKinds,
      EndpointReader,
      EndpointRequests,
      EndpointRotation,
      EndpointSubscriptionCheck,
      DeliveryReplay,
      OperationService,
      EndpointInvoker,
      DispatchRunner,
      DispatcherRegistry,
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
