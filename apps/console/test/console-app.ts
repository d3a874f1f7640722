import { rm } from 'node:fs/promises';
import { WebhookReceiver } from '@kernel/eventbus/testing';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { newInvoice, SETTINGS, startTestErp, type TestErp } from '@kernel/test-support/start-test-erp';
import { buildConsole } from './build-console.js';
import { launchChromium } from './chromium.js';

/** Generous: a slow machine is not a failure. */
export const PATIENCE_MS = 60_000;

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

export interface ConsoleApp {
  erp: TestErp;
  receiver: WebhookReceiver;
  /** A tab in a fresh browser context. */
  openTab(options?: BrowserContextOptions): Promise<Page>;
  /** A tab that is signed in, by default as operator. */
  signIn(token?: string, options?: BrowserContextOptions): Promise<Page>;
  visit(page: Page, path: string): Promise<void>;
  /** Calls the admin API directly. */
  ask<T>(method: string, path: string, body?: unknown): Promise<T>;
  createInvoice(tenantId?: string): Promise<void>;
  /** Requests to other hosts, page errors and violations of the content security policy. */
  complaints: string[];
  close(): Promise<void>;
}

/** The app with a worker and the console, a receiver, and a browser. */
export async function startConsoleApp(): Promise<ConsoleApp> {
  const consoleFolder = await buildConsole();
  const retry = { maxAttempts: 2, initialDelayMs: 20, maxDelayMs: 50 };
  const erp = await startTestErp({ role: 'all', consoleFolder, retry });
  const receiver = await WebhookReceiver.start();
  const browser: Browser = await launchChromium();
  const complaints: string[] = [];

  const openTab = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({
      viewport: DESKTOP,
      reducedMotion: 'reduce',
      locale: 'en-GB',
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    page.on('request', (request) => {
      if (!request.url().startsWith(`${erp.url}/`)) complaints.push(`asked for ${request.url()}`);
    });
    page.on('pageerror', (error) => complaints.push(`threw ${error.message}`));
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) complaints.push(message.text());
    });
    return page;
  };
  const ask = async <T>(method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${SETTINGS.adminToken}` };
    return (await erp.request(method, `/admin/eventbus${path}`, body, headers)).body as T;
  };
  return {
    erp,
    receiver,
    openTab,
    ask,
    complaints,
    signIn: async (token = SETTINGS.adminToken, options) => {
      const page = await openTab(options);
      await page.goto(`${erp.url}/console`);
      await page.getByLabel('Admin token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      return page;
    },
    visit: async (page, path) => {
      // Navigates like a link, without reloading the page.
      const address = JSON.stringify(`/console${path}`);
      await page.evaluate(`history.pushState(null, '', ${address}); dispatchEvent(new PopStateEvent('popstate'))`);
      await page.locator('h1').waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    },
    createInvoice: async (tenantId = erp.tenantId) => {
      await erp.request('POST', '/invoices', newInvoice(tenantId));
    },
    close: async () => {
      await browser.close();
      await erp.close();
      await receiver.stop();
      await rm(consoleFolder, { recursive: true, force: true });
    },
  };
}
