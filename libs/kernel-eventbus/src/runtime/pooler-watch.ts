import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventBusConfig } from '../eventbus.options.js';
import { registerNames, type Session, StatementNames } from './statement-names.js';

/** Lets the connections of the app's pool use prepared statements, as far as there is no pooler that could lose them. */
@Injectable()
export class PoolerWatch implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
  ) {}

  async onModuleInit(): Promise<void> {
    const names = new StatementNames(this.config.preparedStatements);
    const pool = await this.em.getConnection().getNativeClient();
    pool.on('acquire', (session: Session) => names.meet(session));
    registerNames(this.em.getConnection().getClient(), names);
  }
}
