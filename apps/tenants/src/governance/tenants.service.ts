import { Clock, OutboxService } from '@kernel/eventbus';
import { problems } from '@kernel/http';
import { LockMode } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { ProjectionFeed } from '../publication/projection-feed.js';
import { GOVERNED, governanceChanged, toGovernanceChanged, type Governed } from './governance.events.js';
import { TenantEntity, type Tenant } from './tenant.entity.js';

export type Governance = Pick<Tenant, Governed>;

/** Every change commits together with its event. */
@Injectable()
export class TenantsService {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly feed: ProjectionFeed,
    private readonly clock: Clock,
  ) {}

  create(governance: Governance): Promise<Tenant> {
    const at = this.clock.now();
    return this.em.transactional(async (em) => {
      const tenant = em.create(TenantEntity, {
        ...{ ...governance, tenantId: uuidv7(), version: 1, createdAt: at, updatedAt: at },
      });
      await this.feed.open(tenant.tenantId, em);
      await this.outbox.publish(governanceChanged, toGovernanceChanged(tenant, GOVERNED));
      return tenant;
    });
  }

  /** A change to the same values writes nothing and publishes nothing. */
  change(tenantId: string, changes: Partial<Governance>): Promise<Tenant> {
    return this.em.transactional(async (em) => {
      const tenant = found(await em.findOne(TenantEntity, { tenantId }, { lockMode: LockMode.PESSIMISTIC_WRITE }));
      const changed = GOVERNED.filter((name) => changes[name] !== undefined && changes[name] !== tenant[name]);
      if (changed.length > 0) {
        Object.assign(tenant, changes, { version: tenant.version + 1, updatedAt: this.clock.now() });
        await this.outbox.publish(governanceChanged, toGovernanceChanged(tenant, changed));
      }
      return tenant;
    });
  }

  async find(tenantId: string): Promise<Tenant> {
    return found(await this.em.fork().findOne(TenantEntity, { tenantId }));
  }
}

function found(tenant: Tenant | null): Tenant {
  if (!tenant) {
    throw problems.notFound('tenant');
  }
  return tenant;
}
