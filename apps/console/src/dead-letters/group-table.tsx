import type { DeadLetterGroup } from '../connection/responses.ts';
import { DataTable, type Column } from '../elements/data-table.tsx';
import { formatCount } from '../elements/format-number.ts';
import { Badge } from '../elements/status-badge.tsx';
import { Ago } from '../elements/time.tsx';
import { EndpointName } from '../endpoints/endpoint-name.tsx';
import { hrefOf } from '../navigation/location.ts';
import { keyOf } from './group-key.ts';

interface GroupTableProps {
  groups: readonly DeadLetterGroup[];
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
}

export function GroupTable({ groups, chosen, onChoose }: GroupTableProps) {
  const toggle = (key: string) =>
    onChoose(chosen.has(key) ? new Set([...chosen].filter((one) => one !== key)) : new Set([...chosen, key]));
  const columns: Column<DeadLetterGroup>[] = [
    {
      label: 'Replay',
      cell: (group) => (
        <input
          type="checkbox"
          class="group-check"
          aria-label={`Choose ${group.errorClass} at ${group.endpointName ?? group.endpointId}`}
          checked={chosen.has(keyOf(group))}
          onChange={() => toggle(keyOf(group))}
        />
      ),
    },
    {
      label: 'Endpoint',
      cell: ({ endpointId, endpointName }) =>
        endpointName === null ? (
          <EndpointName endpointId={endpointId} />
        ) : (
          <a href={hrefOf(`/endpoints/${endpointId}`)}>{endpointName}</a>
        ),
    },
    { label: 'Error', cell: ({ errorClass }) => <Badge tone="bad">{errorClass}</Badge> },
    {
      label: 'Letters',
      isNumber: true,
      cell: ({ endpointId, errorClass, count, more }) => (
        <a href={hrefOf('/deliveries', { status: 'DLQ', endpointId, errorClass })}>
          {formatCount(count)}
          {more && '+'}
        </a>
      ),
    },
    { label: 'Oldest', cell: ({ oldestAt }) => <Ago at={oldestAt} /> },
    { label: 'Newest', cell: ({ newestAt }) => <Ago at={newestAt} /> },
  ];
  return <DataTable label="Dead letters by endpoint and error" columns={columns} rows={groups} keyOf={keyOf} />;
}
