import { Inbox, type Gap } from '@kernel/inbox';
import { EntityManager } from '@mikro-orm/postgresql';
import { Controller, Get } from '@nestjs/common';
import { listGovernance, type ProjectedGovernance } from './governance.sql.js';

const SHOWN_TENANTS = 200;

@Controller()
export class ProjectionController {
  constructor(
    private readonly em: EntityManager,
    private readonly inbox: Inbox,
  ) {}

  @Get('governance')
  async list(): Promise<{ items: ProjectedGovernance[] }> {
    return { items: await listGovernance(this.em.getKysely(), SHOWN_TENANTS) };
  }

  /** Gaps: missing changes that were sent before others. */
  @Get('gaps')
  async gaps(): Promise<{ items: Gap[] }> {
    return { items: await this.inbox.findGaps() };
  }
}
