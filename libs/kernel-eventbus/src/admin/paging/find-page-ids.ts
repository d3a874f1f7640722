import { raw, type EntityName, type EntityManager, type FilterQuery } from '@mikro-orm/postgresql';
import { cutPage } from './page-bytes.js';

export interface PageSearch<Entity extends object> {
  where: FilterQuery<Entity>;
  /** A UUIDv7, which orders the rows by age. */
  id: keyof Entity & string;
  /** SQL that gives the size of what a row shows. */
  bytes: string;
  limit: number;
}

/** The ids of a page's rows, newest first: so that rows are read only as far as the page shows them. */
export async function findPageIds<Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  { where, id, bytes, limit }: PageSearch<Entity>,
): Promise<{ ids: string[]; isMore: boolean }> {
  const found = await em
    .createQueryBuilder(entity, 'found')
    .select([id, raw(`(${bytes})::int as bytes`)] as never)
    .where(where as never)
    .orderBy({ [id]: 'desc' } as never)
    .limit(limit + 1)
    .execute<FoundRow[]>('all');
  const { rows, isMore } = cutPage(found, limit);
  return { ids: rows.map((row) => row[id]), isMore };
}

type FoundRow = Record<string, string> & { bytes: number };
