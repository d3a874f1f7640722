import { changeQuery, query } from '../navigation/location.ts';
import { Button } from './button.tsx';

/** Lists are newest first and paged by the server: the address holds where one is. */
export function Pager({ nextCursor }: { nextCursor: string | null }) {
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
        Older
      </Button>
    </nav>
  );
}
