import type { PageSettings } from './console.options.js';

/**
 * Vite builds the pages with relative URLs, which break on deep links: they become absolute here. The script reads the
 * settings from the `<html>` element. The options allow no character that HTML would need escaped.
 */
export function renderIndex(html: string, { path, adminPath, theme }: PageSettings): string {
  return html
    .replaceAll('="./', `="${path}/`)
    .replace('<html', `<html data-path="${path}" data-admin-path="${adminPath}" data-default-theme="${theme}"`);
}
