import { EmptyState } from './empty-state.tsx';
import type { IconName } from './icon.tsx';

interface NothingFoundProps {
  icon: IconName;
  title: string;
  /** True if the server searched a limited number of rows and there are more. */
  isSearching: boolean;
}

export function NothingFound({ icon, title, isSearching }: NothingFoundProps) {
  return isSearching ? (
    <EmptyState icon="search" title="None among the newest">
      There is more to look through: search further back, or narrow it down by tenant, endpoint or time.
    </EmptyState>
  ) : (
    <EmptyState icon={icon} title={title}>
      Search goes by exact words. Leave fields empty to see everything.
    </EmptyState>
  );
}
