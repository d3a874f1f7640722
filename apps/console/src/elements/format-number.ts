const WHOLE = new Intl.NumberFormat(undefined);
const SHORT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

export function formatCount(count: number): string {
  return count < 100_000 ? WHOLE.format(count) : SHORT.format(count);
}

export function formatPlural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

export function formatRate(perSecond: number): string {
  return perSecond >= 100 ? formatCount(Math.round(perSecond)) : perSecond.toFixed(perSecond === 0 ? 0 : 1);
}

/** Never rounded up to 100 %. */
export function formatShare(share: number): string {
  return share === 1 ? '100 %' : `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;
}

export function formatMs(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
