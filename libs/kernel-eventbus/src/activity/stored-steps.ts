/** Activity is summed up twice, so that a week is read from as few rows as an hour. */
export const STORED_STEPS = [
  { seconds: 60, keptHours: 3 },
  { seconds: 1_800, keptHours: 8 * 24 },
] as const;
