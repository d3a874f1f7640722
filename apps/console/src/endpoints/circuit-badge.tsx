import type { Endpoint } from '../connection/endpoint-answers.ts';
import { Badge } from '../elements/status-badge.tsx';

/** Whether it gets anything at the moment. */
export function CircuitBadge({ endpoint: { isEnabled, circuit } }: { endpoint: Endpoint }) {
  if (!isEnabled) return <Badge tone="quiet">Disabled</Badge>;
  if (circuit?.state === 'open') return <Badge tone="bad">Circuit open</Badge>;
  if (circuit?.state === 'half-open') return <Badge tone="warn">Circuit half open</Badge>;
  return <Badge tone="good">Enabled</Badge>;
}
