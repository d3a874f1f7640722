/** A partition of the outbox: events with ids created from `fromMs` to before `toMs`. */
export interface PartitionRange {
  fromMs: number;
  toMs: number;
}

export interface Partition extends PartitionRange {
  name: string;
}

/** The lowest UUIDv7 of a millisecond; its first 48 bits are the time. */
export function lowestIdAt(timeMs: number): string {
  const hex = timeMs.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

export function timeMsOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** E.g. `kernel_outbox_event_p20261116_00`, by the UTC hour of its start. */
export function partitionName({ fromMs }: PartitionRange): string {
  const [, date, hour] = /^(.{10})T(..)/.exec(new Date(fromMs).toISOString())!;
  return `kernel_outbox_event_p${date!.replaceAll('-', '')}_${hour}`;
}
