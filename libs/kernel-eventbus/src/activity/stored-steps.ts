/** Activity is stored in two step lengths, so that a week is read from few rows. */
export const STORED_STEPS = [
  { seconds: 60, keptHours: 3 },
  { seconds: 1_800, keptHours: 8 * 24 },
] as const;
