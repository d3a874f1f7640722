import { ACTOR_ID_PATH, STREAM_KEY_PATH } from '../policy/policy-path.js';
import type { ChangedPath } from './redact.js';
import type { RemovedReason } from './removed.js';

/** The members of an envelope that policies cover, as they are before redaction. */
export interface CoveredMembers {
  actorId: string | null;
  streamKey?: string;
}

export interface EnvelopeChanges {
  removed: {
    path: typeof ACTOR_ID_PATH | typeof STREAM_KEY_PATH;
    reason: Extract<RemovedReason, 'drop'> | 'not-kept';
  }[];
  changed: ChangedPath[];
}

/** The changes of a redaction to the envelope, in the form of its list for the payload. */
export function envelopeChanges(
  { actorId, streamKey }: CoveredMembers,
  redacted: { keepsActorId: boolean; streamKey?: string | null },
): EnvelopeChanges {
  const changes: EnvelopeChanges = { removed: [], changed: [] };
  if (actorId && !redacted.keepsActorId) {
    changes.removed.push({ path: ACTOR_ID_PATH, reason: 'not-kept' });
  }
  if (redacted.streamKey === null) {
    changes.removed.push({ path: STREAM_KEY_PATH, reason: 'drop' });
  } else if (redacted.streamKey !== streamKey) {
    changes.changed.push({ path: STREAM_KEY_PATH, action: 'hash' });
  }
  return changes;
}
