/** Escapes each id, so it stays one segment of the path. */
export function pathOf(...parts: string[]): string {
  return parts.map((part) => encodeURIComponent(part).replaceAll('.', '%2E')).join('/');
}
