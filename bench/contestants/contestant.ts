/** The environment of a contestant. */
export interface Setup {
  databaseUrl: string;
  sinkUrl: string;
  secret: string;
  /** True if a commit may wake the worker by NOTIFY where that is not the default. */
  isNotifying?: boolean;
  /**
   * The peers' job. `bare`: the signed POST alone. `same`: our job, with endpoint look-up, delivery record and audit
   * row. `same-with-fetch`: the same with `fetch`. Default: bare.
   */
  job?: 'bare' | 'same' | 'same-with-fetch';
}

export interface Fill {
  count: number;
  /** Number of streams over which the events are spread. Default: one per event. */
  streams?: number;
}

export interface PublishLoad {
  clients: number;
  transactions: number;
  /** 0: the same transaction without publishing. */
  eventsPerTransaction: number;
}

export interface PacedLoad {
  perSecond: number;
  count: number;
}

/** The time at which the commit of an event was acknowledged, on the monotonic clock. */
export interface Commit {
  eventId: string;
  committedAtMs: number;
}

/** The calls that a contestant's process answers. Publishing and working run in separate processes. */
export interface Contestant {
  /** Creates its tables and everything else that the first event needs. */
  prepare(setup: Setup): Promise<void>;
  /** Commits that many events, as fast as it can. */
  fill(fill: Fill): Promise<void>;
  /** Milliseconds from the first transaction's begin to the last one's commit. */
  publish(load: PublishLoad): Promise<number>;
  /** One transaction with one event at a time, at a steady pace. */
  publishPaced(load: PacedLoad): Promise<Commit[]>;
  /** Starts the worker; resolves when it looks for work. */
  work(setup: Setup): Promise<void>;
  /** Number of events not yet durably recorded as done. */
  countUnsettled(): Promise<number>;
  residentBytes(): Promise<number>;
  close(): Promise<void>;
}

export const contestants = {
  ours: new URL('./ours.ts', import.meta.url),
  'graphile-worker': new URL('./graphile-worker.ts', import.meta.url),
  'pg-boss': new URL('./pg-boss.ts', import.meta.url),
};

export type ContestantName = keyof typeof contestants;
