const WHOLE = new Intl.NumberFormat(undefined);
const SHORT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

export function sayCount(count: number): string {
  return count < 100_000 ? WHOLE.format(count) : SHORT.format(count);
}

export function sayPlural(count: number, one: string, many = `${one}s`): string {
  return `${sayCount(count)} ${count === 1 ? one : many}`;
}

export function sayRate(perSecond: number): string {
  return perSecond >= 100 ? sayCount(Math.round(perSecond)) : perSecond.toFixed(perSecond === 0 ? 0 : 1);
}

/** Never rounded up to all of it. */
export function sayShare(share: number): string {
  return share === 1 ? '100 %' : `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;
}

export function sayMs(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
