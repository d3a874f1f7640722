import { useState } from 'preact/hooks';
import { ask } from '../connection/admin-api.ts';
import type { Lane, Page } from '../connection/responses.ts';
import { useResponse } from '../connection/use-response.ts';
import { Button, ButtonLink } from '../elements/button.tsx';
import { Choice } from '../elements/choice.tsx';
import { DataTable, type Column } from '../elements/data-table.tsx';
import { EmptyState } from '../elements/empty-state.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { PageHeader } from '../elements/page-header.tsx';
import { Pager } from '../elements/pager.tsx';
import { ReasonDialog } from '../elements/reason-dialog.tsx';
import { formatCount } from '../elements/format-number.ts';
import { Badge } from '../elements/status-badge.tsx';
import { Ago } from '../elements/time.tsx';
import { toast } from '../elements/toasts.tsx';
import { EndpointName } from '../endpoints/endpoint-name.tsx';
import { changeQuery, hrefOf, query } from '../navigation/location.ts';
import { tenantId } from '../session/session.ts';

const VIEWS = [
  { value: 'all', label: 'All' },
  { value: 'blocked', label: 'Blocked' },
] as const;

export function LanesPage() {
  const isBlockedOnly = query.value.get('blocked') === 'true';
  const lanes = useResponse<Page<Lane>>(
    '/lanes',
    { tenantId: tenantId.value, blocked: isBlockedOnly ? true : null, cursor: query.value.get('cursor') },
    5_000,
  );
  const [toSkip, setToSkip] = useState<Lane>();
  const skip = async (reason: string) => {
    await ask(`/lanes/${toSkip!.laneId}/skip`, { method: 'POST', body: { reason } });
    toast('good', 'Skipped: the lane goes on with the next event.');
    lanes.reload();
  };
  return (
    <>
      <PageHeader
        title="Lanes"
        lead="One stream on its way to one ordered endpoint. A dead letter at its head blocks it."
      >
        <Choice
          label="Which lanes"
          options={VIEWS}
          value={isBlockedOnly ? 'blocked' : 'all'}
          onChange={(view) => changeQuery({ blocked: view === 'blocked' ? true : null, cursor: null })}
        />
      </PageHeader>
      <Loaded response={lanes}>
        {({ items, nextCursor }) => (
          <>
            {items.length > 0 ? (
              <DataTable label="Lanes" columns={columnsWith(setToSkip)} rows={items} keyOf={({ laneId }) => laneId} />
            ) : (
              <EmptyState icon="lanes" title={isBlockedOnly ? 'No lane is blocked' : 'No lanes yet'}>
                Lanes come with endpoints that want the events of a stream one after the other.
              </EmptyState>
            )}
            <Pager nextCursor={nextCursor} />
          </>
        )}
      </Loaded>
      {toSkip && (
        <ReasonDialog
          title="Skip the dead letter"
          verb="Skip it"
          isDangerous
          onConfirm={skip}
          onClose={() => setToSkip(undefined)}
        >
          The lane of <code>{toSkip.streamKey}</code> goes on without it: the receiver sees a gap. To send it again
          instead, replay it.
        </ReasonDialog>
      )}
    </>
  );
}

function columnsWith(onSkip: (lane: Lane) => void): Column<Lane>[] {
  return [
    { label: 'Stream', cell: ({ streamKey }) => <code class="stream-key">{streamKey}</code> },
    { label: 'Endpoint', cell: ({ endpointId }) => <EndpointName endpointId={endpointId} /> },
    { label: 'State', cell: (lane) => <LaneState lane={lane} /> },
    { label: 'Waiting', isNumber: true, cell: ({ waiting }) => formatCount(waiting) },
    { label: 'Sequence', isNumber: true, cell: ({ lastSequence }) => formatCount(lastSequence) },
    {
      label: 'Mend',
      cell: (lane) =>
        lane.blockedBy ? (
          <div class="actions row-actions">
            <ButtonLink href={hrefOf(`/deliveries/${lane.blockedBy}`)}>Open letter</ButtonLink>
            <Button onClick={() => onSkip(lane)}>Skip</Button>
          </div>
        ) : (
          <span class="muted">–</span>
        ),
    },
  ];
}

function LaneState({ lane: { isBlocked, blockedAt, isParked, readyAt } }: { lane: Lane }) {
  if (isBlocked) {
    return (
      <>
        <Badge tone="bad">Blocked</Badge> {blockedAt && <Ago at={blockedAt} />}
      </>
    );
  }
  if (isParked) return <Badge tone="quiet">Parked</Badge>;
  return readyAt ? <Badge tone="accent">Moving</Badge> : <Badge tone="good">Empty</Badge>;
}
