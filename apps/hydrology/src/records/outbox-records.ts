import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ArtifactPublished } from '../publication/artifact.events.js';
import { selectOutboxRecords, type OutboxRecord } from './select-outbox-records.sql.js';

const MOST = 200;

@Injectable()
export class OutboxRecords {
  constructor(private readonly em: EntityManager) {}

  list(): Promise<OutboxRecord[]> {
    return selectOutboxRecords(this.em.fork().getKysely(), ArtifactPublished.type, MOST);
  }
}
