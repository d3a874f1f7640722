import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { appendEntries } from '@kernel/ledger';
import { EventBusConfig } from '../../eventbus.config.js';
import { ALL_TENANTS } from '../../envelope/tenant-id.js';
import { WebhookEndpointEntity } from '../../endpoints/webhook-endpoint.entity.js';
import { newId, readCommitted } from '@kernel/runtime';
import { isCountTooLong } from './count-took-too-long.error.js';
import { endOperation, insertOperation, readMoment, takeRequestTurn } from './operations.sql.js';
import type { OperationRequest, OperationScope } from './operation.js';
import { operationEntry } from './operation-entry.js';
import { OperationEntity, type OperationRow } from './operation.entity.js';
import { OperationWorks } from './operation-works.js';

export type CountResult = { kind: 'counted'; count: number; scope: OperationScope } | Refusal;
export type StartResult = { kind: 'started'; operationId: string; total: number } | Refusal;
type CountRequest = Omit<OperationRequest, 'actor' | 'reason' | 'traceId'>;
export type CancelResult =
  { kind: 'cancelled'; operation: OperationRow } | { kind: 'ended'; state: string } | { kind: 'not-found' };

export type Refusal =
  | { kind: 'endpoint-not-found' }
  | { kind: 'endpoint-deleted' }
  | { kind: 'past-retention'; days: number }
  | { kind: 'too-many'; limit: number }
  | { kind: 'too-many-open'; limit: number }
  | { kind: 'count-took-too-long'; timeoutMs: number };

/** Counts, starts and cancels operations on many deliveries. */
@Injectable()
export class OperationService {
  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly works: OperationWorks,
  ) {}

  /** The dry run: returns the same refusals as `start` and changes nothing. */
  async count(request: CountRequest): Promise<CountResult> {
    const { countTimeoutMs } = this.config.operations;
    const until = performance.now() + countTimeoutMs;
    const session = { variables: { statement_timeout: String(countTimeoutMs) } };
    try {
      return await this.em
        .fork({ session })
        .transactional((em) => this.countIn(em, request, until), { readOnly: true });
    } catch (error) {
      if (isCountTooLong(error)) {
        return { kind: 'count-took-too-long', timeoutMs: countTimeoutMs };
      }
      throw error;
    }
  }

  /** A worker picks the operation up within about a second. */
  async start(request: OperationRequest): Promise<StartResult> {
    const counted = await this.count(request);
    if (counted.kind !== 'counted') {
      return counted;
    }
    const { maxOpen } = this.config.operations;
    const { filter } = request;
    const operation = { ...request, ...counted.scope, operationId: newId(), total: counted.count };
    return readCommitted(this.em, async (em) => {
      await takeRequestTurn(em.getKysely(), operation.tenantId);
      if (!(await insertOperation(em.getKysely(), operation, { maxOpen }))) {
        return { kind: 'too-many-open', limit: maxOpen };
      }
      const entry = operationEntry('operation-started', operation, { filter, total: operation.total });
      await appendEntries(em.getKysely(), [entry]);
      return { kind: 'started', operationId: operation.operationId, total: operation.total };
    });
  }

  /** Nothing more is requeued after this returns: a running batch rolls back. Requeued deliveries are still sent. */
  async cancel(operationId: string, by: { tenantId?: string; actor: string; traceId: string }): Promise<CancelResult> {
    return readCommitted(this.em, async (em) => {
      const condition = { operationId, ...(by.tenantId && { tenantId: by.tenantId }) };
      const operation = await em.findOne(OperationEntity, condition, { filters: false });
      if (!operation) {
        return { kind: 'not-found' };
      }
      const ended = await endOperation(em.getKysely(), operationId, { state: 'cancelled' });
      await em.refresh(operation);
      if (!ended) {
        return { kind: 'ended', state: operation.state };
      }
      const { kind, tenantId, endpointId, filter, reason } = operation;
      const request = { kind, tenantId: tenantId ?? undefined, endpointId: endpointId ?? undefined, filter, reason };
      const { actor, traceId } = by;
      await appendEntries(em.getKysely(), [
        operationEntry('operation-cancelled', { ...request, operationId, actor, traceId }, { ...ended }),
      ]);
      return { kind: 'cancelled', operation };
    });
  }

  private async countIn(em: EntityManager, request: CountRequest, until: number): Promise<CountResult> {
    const owner = request.endpointId
      ? await this.findOwner(em, request.endpointId, request)
      : { tenantId: request.tenantId };
    if ('kind' in owner) {
      return owner;
    }
    const { publishedDays } = this.config.retention;
    const { now, isPast } = await readMoment(em.getKysely(), request.filter.since, publishedDays);
    if (request.kind === 'replay-missing' && isPast) {
      return { kind: 'past-retention', days: publishedDays };
    }
    const { kind, endpointId, filter } = request;
    const scope = { kind, ...owner, endpointId, filter, orderedAt: now };
    const { maxDeliveries } = this.config.operations;
    const count = await this.works.of(kind).count(em, scope, { limit: maxDeliveries + 1, until });
    return count > maxDeliveries ? { kind: 'too-many', limit: maxDeliveries } : { kind: 'counted', count, scope };
  }

  /** The tenant whose deliveries are affected: the endpoint's, or for a handler of all tenants the caller's. */
  private async findOwner(
    em: EntityManager,
    endpointId: string,
    { kind, tenantId }: Pick<OperationScope, 'kind' | 'tenantId'>,
  ): Promise<Refusal | { tenantId?: string }> {
    const endpoint = await em.findOne(WebhookEndpointEntity, { endpointId }, { filters: false });
    const isHandler = endpoint?.tenantId === ALL_TENANTS;
    const isOwn = endpoint?.tenantId === tenantId || (isHandler && kind === 'replay');
    if (!endpoint || (tenantId !== undefined && !isOwn)) {
      return { kind: 'endpoint-not-found' };
    }
    if (endpoint.deletedAt) {
      return { kind: 'endpoint-deleted' };
    }
    return { tenantId: isHandler ? tenantId : endpoint.tenantId };
  }
}
