import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { waitFor } from '@kernel/eventbus/testing';
import type { Page } from 'playwright-core';
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

/** Actions on the page before its screenshot. */
const DEEDS: Record<string, (page: Page) => Promise<void>> = {
  'endpoint-form': async (page) => {
    await page.getByRole('button', { name: 'Filter invoice.created.v1' }).click();
    await page.getByLabel('Field').fill('$.region');
    await page.getByLabel('Value').fill('EU');
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await page.getByText('recent events match').waitFor();
    await page.locator('.endpoint-form').evaluate('form => scrollTo(0, form.offsetTop + 150)');
  },
  'dead-letters': async (page) => {
    await page.getByLabel(/Choose http_4xx/).check();
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByText('would be sent again').waitFor();
  },
  ledger: async (page) => {
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('The ledger is as it was sealed').waitFor();
  },
};

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
    await DEEDS[name]?.(page);
    await page.screenshot({ path: file });
    files.push(file);
  }
  await page.context().close();
  await showcase.end();
  return files;
}
