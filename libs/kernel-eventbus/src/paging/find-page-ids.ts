import { raw, type EntityName, type EntityManager, type FilterQuery } from '@mikro-orm/postgresql';
import { cutPage } from './page-bytes.js';

export interface PageSearch<Entity extends object> {
  where: FilterQuery<Entity>;
  /** A UUIDv7, which orders rows by age. */
  id: keyof Entity & string;
  /** SQL expression for the size of a row in the response. */
  bytes: string;
  limit: number;
}

/** The ids of a page's rows, newest first. Only the rows on the page are then read in full. */
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
