import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { waitFor } from '@kernel/eventbus/testing';
import { DESKTOP, PHONE, type ConsoleApp } from './console-app.js';
import { listPages } from './pages.js';
import { makeShowcase } from './showcase.js';

const FOLDER = resolve(import.meta.dirname, '../../../docs/images');

/** Page, colours and size of each picture in docs/console.md. */
const PICTURES = [
  ['overview', 'light', DESKTOP],
  ['overview', 'dark', DESKTOP],
  ['overview', 'light', PHONE],
  ['deliveries', 'light', DESKTOP],
  ['delivery', 'light', DESKTOP],
  ['delivery', 'dark', PHONE],
  ['endpoints', 'light', DESKTOP],
  ['endpoint-form', 'light', DESKTOP],
  ['dead-letters', 'dark', DESKTOP],
  ['policy', 'light', DESKTOP],
  ['ledger', 'light', DESKTOP],
] as const;

export async function takeScreenshots(app: ConsoleApp): Promise<string[]> {
  await mkdir(FOLDER, { recursive: true });
  const showcase = await makeShowcase(app);
  await waitFor(async () => {
    const { items } = await app.ask<{ items: unknown[] }>('GET', '/deliveries/groups');
    return items.length >= 2;
  }, 'dead letters');
  const page = await app.signIn();
  const paths = new Map(await listPages(app));
  const files: string[] = [];
  for (const [name, colorScheme, size] of PICTURES) {
    const file = join(FOLDER, `console-${name}-${colorScheme}${size === PHONE ? '-phone' : ''}.png`);
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await app.visit(page, paths.get(name)!);
    await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined);
    await page.screenshot({ path: file });
    files.push(file);
  }
  await page.context().close();
  await showcase.end();
  return files;
}
