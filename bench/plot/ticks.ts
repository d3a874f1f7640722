const STEPS = [1, 2, 2.5, 5, 10];
const TICKS = 5;

/** The end of an axis from zero that covers `value` with even steps. */
export function niceCeiling(value: number): number {
  return stepOf(value) * Math.ceil(value / stepOf(value));
}

export function ticksTo(top: number): number[] {
  const step = stepOf(top);
  return Array.from({ length: Math.round(top / step) + 1 }, (_, place) => Number((place * step).toPrecision(12)));
}

function stepOf(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value / TICKS));
  return STEPS.map((step) => step * power).find((step) => value / step <= TICKS)!;
}
