/** Whatever is given for an id stays one part of the path. */
export function pathOf(...parts: string[]): string {
  return parts.map((part) => encodeURIComponent(part).replaceAll('.', '%2E')).join('/');
}
