import { Badge } from '../elements/status-badge.tsx';

const WHYS: Record<string, string> = {
  'no-rule': 'no rule lets it out',
  drop: 'a rule drops it',
  'not-text': 'truncate is for text',
  'not-number': 'coarsen is for numbers',
  'wrong-shape': 'a rule expects another shape here',
  'not-kept': 'the policy keeps no actor',
};

export function RemovedPaths({ removed }: { removed: readonly { path: string; why: string }[] }) {
  if (removed.length === 0) {
    return <p class="muted">Nothing is removed.</p>;
  }
  return (
    <div>
      <h3>Removed</h3>
      <ul class="removed-paths">
        {removed.map(({ path, why }) => (
          <li key={path}>
            <code>{path}</code> <Badge tone="bad">{WHYS[why] ?? why}</Badge>
          </li>
        ))}
      </ul>
    </div>
  );
}
