import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { registerNames, type Session, StatementNames } from './statement-names.js';

/** Enables prepared statements for the app's pool unless a pooler could lose them. */
@Injectable()
export class PoolerWatch implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly preparedStatements: boolean | 'auto',
  ) {}

  async onModuleInit(): Promise<void> {
    const names = new StatementNames(this.preparedStatements);
    const pool = await this.em.getConnection().getNativeClient();
    pool.on('acquire', (session: Session) => names.meet(session));
    registerNames(this.em.getConnection().getClient(), names);
  }
}
