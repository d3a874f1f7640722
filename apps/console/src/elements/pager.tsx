import { changeQuery, query } from '../navigation/location.ts';
import { Button } from './button.tsx';

interface PagerProps {
  nextCursor: string | null;
  /** True if nothing was found so far, but the search is not complete. */
  isEmpty?: boolean;
}

/** Lists are newest first and paged by the server: the address holds the cursor. */
export function Pager({ nextCursor, isEmpty = false }: PagerProps) {
  const isDeep = query.value.has('cursor');
  if (!isDeep && nextCursor === null) {
    return null;
  }
  return (
    <nav class="pager" aria-label="Pages">
      <Button icon="back" disabled={!isDeep} onClick={() => changeQuery({ cursor: null })}>
        Newest
      </Button>
      <Button disabled={nextCursor === null} onClick={() => changeQuery({ cursor: nextCursor })}>
        {isEmpty ? 'Search further back' : 'Older'}
      </Button>
    </nav>
  );
}
