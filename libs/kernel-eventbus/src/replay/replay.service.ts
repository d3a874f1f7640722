import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { type Caller, parseCaller, tenantOf } from '../access/caller.js';
import { parseId, parseInput } from '../access/parse-input.js';
import { TenantScope } from '../access/tenant-scope.js';
import { WebhookDeliveryEntity, type WebhookDeliveryRow } from '../deliveries/webhook-delivery.entity.js';
import { refusals } from '../eventbus.refusals.js';
import { defined } from '../paging/defined.js';
import { currentTraceId, newTraceId } from '../trace/trace-context.js';
import { DeliveryReplay } from './delivery-replay.js';
import { toRefusal } from './operation-refusal.js';
import type { OperationRequest } from './operations/operation.js';
import { OperationEntity, type OperationRow } from './operations/operation.entity.js';
import { OperationService } from './operations/operation.service.js';
import { BulkReplayRequest, EndpointOperationRequest, ReplayDeliveryRequest } from './replay-input.js';

/** A dry run gives the `count` of deliveries, otherwise the operation is under way. */
export type OperationStarted = { operationId: string; count?: never } | { count: number; operationId?: never };

type Requested = Pick<OperationRequest, 'kind' | 'tenantId' | 'endpointId' | 'filter' | 'reason'> & {
  dryRun?: boolean;
};

/**
 * Sends deliveries again: one, or many in an operation that workers run in batches. For the host's own pages, jobs and
 * scripts, with the rules, limits and ledger entries of the admin API. Each call has its own transaction.
 * @throws {RequestRefusedError} when a request is refused; it changed nothing then
 */
@Injectable()
export class ReplayService {
  constructor(
    private readonly scope: TenantScope,
    private readonly deliveries: DeliveryReplay,
    private readonly operations: OperationService,
  ) {}

  /** Requeues a finished delivery: same event and endpoint, current policy and secrets, attempts reset. */
  async replay(
    caller: Caller,
    deliveryId: string,
    request: z.input<typeof ReplayDeliveryRequest>,
  ): Promise<WebhookDeliveryRow> {
    const by = parseCaller(caller);
    const id = parseId(deliveryId);
    const { reason } = parseInput(ReplayDeliveryRequest, request);
    const found = await this.scope.read(by, (em) =>
      em.findOne(WebhookDeliveryEntity, { deliveryId: id }, { filters: false }),
    );
    if (!found) {
      throw refusals.notFound('delivery');
    }
    const { tenantId } = found;
    const result = await this.scope.hold(by, () =>
      this.deliveries.replay({ deliveryId: id, tenantId, actor: by.actor, reason }),
    );
    switch (result.kind) {
      case 'replayed':
        return result.delivery;
      case 'not-found':
        throw refusals.notFound('delivery');
      case 'not-settled':
        throw refusals.conflict(`this delivery is ${result.status}: only one that is DELIVERED or DLQ can be replayed`);
      case 'endpoint-deleted':
        throw refusals.conflict('the endpoint of this delivery was deleted, so it cannot be sent there again');
      case 'event-expired':
        throw refusals.conflict('the event of this delivery is past its retention, so there is nothing left to send');
    }
  }

  /** Replays every finished delivery that the filter selects. */
  async replayMatching(caller: Caller, request: z.input<typeof BulkReplayRequest>): Promise<OperationStarted> {
    const { filter, ...rest } = parseInput(BulkReplayRequest, request);
    const { tenantId, endpointId, all: _, ...conditions } = filter;
    return this.start(parseCaller(caller), {
      kind: 'replay',
      tenantId,
      endpointId,
      filter: defined(conditions),
      ...rest,
    });
  }

  /** Replays the endpoint's dead letters since the given time of dead-lettering. */
  async recover(
    caller: Caller,
    endpointId: string,
    request: z.input<typeof EndpointOperationRequest>,
  ): Promise<OperationStarted> {
    return this.startOn('recover', caller, endpointId, request);
  }

  /** Sends the events published since the given time that the endpoint subscribes to now and never got. */
  async replayMissing(
    caller: Caller,
    endpointId: string,
    request: z.input<typeof EndpointOperationRequest>,
  ): Promise<OperationStarted> {
    return this.startOn('replay-missing', caller, endpointId, request);
  }

  /** An operation and its progress: `state`, `total`, `done`, `failed`. */
  async operation(caller: Caller, operationId: string): Promise<OperationRow> {
    const id = parseId(operationId);
    const found = await this.scope.read(parseCaller(caller), (em) =>
      em.findOne(OperationEntity, { operationId: id }, { filters: false }),
    );
    if (!found) {
      throw refusals.notFound('operation');
    }
    return found;
  }

  /** Queues nothing more; deliveries already queued are sent. */
  async cancel(caller: Caller, operationId: string): Promise<OperationRow> {
    const by = parseCaller(caller);
    const id = parseId(operationId);
    const result = await this.scope.hold(by, () =>
      this.operations.cancel(id, { ...by, traceId: currentTraceId() ?? newTraceId() }),
    );
    switch (result.kind) {
      case 'cancelled':
        return result.operation;
      case 'not-found':
        throw refusals.notFound('operation');
      case 'ended':
        throw refusals.conflict(`this operation is ${result.state}: only one that is under way can be cancelled`);
    }
  }

  private startOn(
    kind: 'recover' | 'replay-missing',
    caller: Caller,
    endpointId: string,
    request: z.input<typeof EndpointOperationRequest>,
  ): Promise<OperationStarted> {
    const { since, ...rest } = parseInput(EndpointOperationRequest, request);
    return this.start(parseCaller(caller), { kind, endpointId: parseId(endpointId), filter: { since }, ...rest });
  }

  private async start(by: Caller, { dryRun, ...requested }: Requested): Promise<OperationStarted> {
    const request = {
      ...requested,
      tenantId: tenantOf(by, requested.tenantId),
      actor: by.actor,
      traceId: currentTraceId() ?? newTraceId(),
    };
    if (dryRun) {
      const counted = await this.scope.hold(by, () => this.operations.count(request));
      if (counted.kind !== 'counted') {
        throw toRefusal(counted);
      }
      return { count: counted.count };
    }
    const started = await this.scope.hold(by, () => this.operations.start(request));
    if (started.kind !== 'started') {
      throw toRefusal(started);
    }
    return { operationId: started.operationId };
  }
}
