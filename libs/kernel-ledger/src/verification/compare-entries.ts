import { entryIdAt, HASH_BYTES, type SealedEntries } from '../sealing/ledger-seal.js';

export type EntryFault = 'altered' | 'removed' | 'inserted' | 'reordered';

/** The first difference between the sealed and the present entries. */
export function compareEntries(
  sealed: SealedEntries,
  present: SealedEntries,
): { fault: EntryFault; entryId: string } | undefined {
  if (sealed.entryIds.equals(present.entryIds) && sealed.entryHashes.equals(present.entryHashes)) {
    return undefined;
  }
  const [sealedIds, presentIds] = [idsOf(sealed), idsOf(present)];
  const [wasSealed, isPresent] = [new Set(sealedIds), new Set(presentIds)];
  const differs = (_: unknown, place: number) =>
    sealedIds[place] !== presentIds[place] || hashAt(sealed, place) !== hashAt(present, place);
  const longer = sealedIds.length > presentIds.length ? sealedIds : presentIds;
  const place = longer.findIndex(differs);
  const [expected, found] = [sealedIds[place], presentIds[place]];
  return expected === found ? { fault: 'altered', entryId: expected! } : faultAt(expected, found, wasSealed, isPresent);
}

function faultAt(
  expected: string | undefined,
  found: string | undefined,
  wasSealed: ReadonlySet<string>,
  isPresent: ReadonlySet<string>,
): { fault: EntryFault; entryId: string } {
  if (expected !== undefined && !isPresent.has(expected)) {
    return { fault: 'removed', entryId: expected };
  }
  return { fault: wasSealed.has(found!) ? 'reordered' : 'inserted', entryId: found! };
}

function idsOf({ entryCount, entryIds }: SealedEntries): string[] {
  return Array.from({ length: entryCount }, (_, place) => entryIdAt(entryIds, place));
}

function hashAt({ entryHashes }: SealedEntries, place: number): string {
  return entryHashes.toString('hex', place * HASH_BYTES, (place + 1) * HASH_BYTES);
}
