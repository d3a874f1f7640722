import type { Endpoint } from '../connection/endpoint-responses.ts';
import { Badge } from '../elements/status-badge.tsx';

/** Shows whether the endpoint receives deliveries now. */
export function CircuitBadge({ endpoint: { isEnabled, circuit } }: { endpoint: Endpoint }) {
  if (!isEnabled) return <Badge tone="quiet">Disabled</Badge>;
  if (circuit?.state === 'open') return <Badge tone="bad">Circuit open</Badge>;
  if (circuit?.state === 'half-open') return <Badge tone="warn">Circuit half open</Badge>;
  return <Badge tone="good">Enabled</Badge>;
}
