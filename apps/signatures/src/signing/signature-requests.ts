import { problems } from '@kernel/http';
import { LockMode } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { OPEN_STATUSES, SignatureRequestEntity } from './signature-request.entity.js';
import { SignatureRequest } from './signature-request.js';

/** Repository of the aggregates. Changes are written when the caller's transaction is flushed. */
@Injectable()
export class SignatureRequests {
  constructor(private readonly em: EntityManager) {}

  add(em: EntityManager, { state }: SignatureRequest): void {
    em.persist(em.create(SignatureRequestEntity, state));
  }

  /** For reading only. */
  async find(signatureRequestId: string): Promise<SignatureRequest> {
    return found(await this.em.fork().findOne(SignatureRequestEntity, { signatureRequestId }));
  }

  /** For changing: locks the row until the end of the transaction. */
  async lock(em: EntityManager, signatureRequestId: string): Promise<SignatureRequest> {
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    return found(await em.findOne(SignatureRequestEntity, { signatureRequestId }, { lockMode }));
  }

  /** Locks requests that are open and due, skipping rows locked by others. */
  async lockDue(em: EntityManager, at: Date, limit: number): Promise<SignatureRequest[]> {
    const due = await em.find(
      SignatureRequestEntity,
      { status: { $in: [...OPEN_STATUSES] }, expiresAt: { $lte: at } },
      { orderBy: { expiresAt: 'asc' }, limit, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    );
    return due.map((state) => new SignatureRequest(state));
  }
}

function found(state: ConstructorParameters<typeof SignatureRequest>[0] | null): SignatureRequest {
  if (!state) {
    throw problems.notFound('signature request');
  }
  return new SignatureRequest(state);
}
