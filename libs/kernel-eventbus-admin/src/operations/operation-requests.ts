import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { ProblemException, problems } from '@kernel/http';
import { type OperationRequest, OperationService, currentTraceId, newTraceId } from '@kernel/eventbus';
import { type Refusal } from '@kernel/eventbus/engine';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { TenantScope } from '../access/tenant-scope.js';

export interface OperationDraft extends Pick<OperationRequest, 'kind' | 'endpointId' | 'filter' | 'reason'> {
  /** As requested; a tenant admin is limited to its own tenant. */
  tenantId?: string;
  dryRun?: boolean;
}

/** Starts operations and maps the results: 200 with a count after a dry run, otherwise 202 with the operation's id. */
@Injectable()
export class OperationRequests {
  constructor(
    private readonly scope: TenantScope,
    private readonly operations: OperationService,
  ) {}

  async start(principal: AdminPrincipal, { dryRun, ...requested }: OperationDraft, response: Response) {
    const request = {
      ...requested,
      tenantId: principal.scopeTo(requested.tenantId),
      actor: principal.actor,
      traceId: currentTraceId() ?? newTraceId(),
    };
    if (dryRun) {
      const counted = await this.scope.hold(principal, () => this.operations.count(request));
      if (counted.kind !== 'counted') {
        throw refusalOf(counted);
      }
      response.status(200);
      return { count: counted.count };
    }
    const started = await this.scope.hold(principal, () => this.operations.start(request));
    if (started.kind !== 'started') {
      throw refusalOf(started);
    }
    response.status(202);
    return { operationId: started.operationId };
  }
}

function refusalOf(refusal: Refusal): ProblemException {
  switch (refusal.kind) {
    case 'endpoint-not-found':
      return problems.notFound('endpoint');
    case 'endpoint-deleted':
      return problems.conflict('this endpoint was deleted, so nothing can be sent there again');
    case 'past-retention':
      return problems.invalid('since', `lies before what is kept: events are kept for ${refusal.days} days`);
    case 'too-many':
      return problems.conflict(
        `this is about more than ${refusal.limit} deliveries, which is the most for one operation: narrow it down by time, type or endpoint`,
      );
    case 'too-many-open':
      return problems.conflict(`${refusal.limit} operations are under way already: wait for one to end, or cancel it`);
    case 'count-took-too-long':
      return new ProblemException({
        code: 'took-too-long',
        status: 503,
        detail: `to count what this is about took the database more than ${refusal.timeoutMs} ms, and nothing was done: narrow it down by time, type, tenant or endpoint`,
      });
  }
}
