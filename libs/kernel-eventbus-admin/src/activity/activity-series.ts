import { addCounts, noActivity, type ActivityCounts, type StoredActivity } from '@kernel/eventbus/engine';

export interface TimeWindow {
  /** Length of one point. */
  stepSeconds: number;
  /** Length of the stored steps that a point is built from. */
  storedSeconds: number;
  steps: number;
}

export const WINDOWS = {
  '1h': { stepSeconds: 60, storedSeconds: 60, steps: 60 },
  '24h': { stepSeconds: 1_800, storedSeconds: 1_800, steps: 48 },
  '7d': { stepSeconds: 10_800, storedSeconds: 1_800, steps: 56 },
} as const satisfies Record<string, TimeWindow>;

/** Start of the first step. The last step contains `nowMs`. */
export function startOf({ stepSeconds, steps }: TimeWindow, nowMs: number): number {
  const stepMs = stepSeconds * 1_000;
  return Math.floor(nowMs / stepMs) * stepMs - (steps - 1) * stepMs;
}

export interface SeriesPoint extends ActivityCounts {
  atMs: number;
}

/** Every step of the window, including the empty ones. */
export function toSeries(window: TimeWindow, fromMs: number, stored: readonly StoredActivity[]): SeriesPoint[] {
  const stepMs = window.stepSeconds * 1_000;
  const points = Array.from({ length: window.steps }, (_, step) => ({ atMs: fromMs + step * stepMs, ...noActivity() }));
  for (const activity of stored) {
    const point = points[Math.floor((activity.startsAtMs - fromMs) / stepMs)];
    if (point) {
      addCounts(point, activity);
    }
  }
  return points;
}

export function totalOf(points: readonly ActivityCounts[]): ActivityCounts {
  const total = noActivity();
  points.forEach((point) => addCounts(total, point));
  return total;
}

const MINUTE_MS = 60_000;

/** Rate over the last minute: the current minute, plus the share of the previous one that is less than a minute old. */
export function deliveredPerSecond(minutes: readonly StoredActivity[], nowMs: number): number {
  const thisMinute = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const deliveredIn = (startMs: number) => minutes.find(({ startsAtMs }) => startsAtMs === startMs)?.delivered ?? 0;
  const share = 1 - (nowMs - thisMinute) / MINUTE_MS;
  return Math.round(((deliveredIn(thisMinute) + deliveredIn(thisMinute - MINUTE_MS) * share) / 60) * 100) / 100;
}
