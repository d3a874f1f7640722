/** `Retry-After` as milliseconds from now: seconds or an HTTP date. Undefined: missing or malformed. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim();
  if (!text) {
    return undefined;
  }
  if (/^\d{1,9}$/.test(text)) {
    return Number(text) * 1_000;
  }
  const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
