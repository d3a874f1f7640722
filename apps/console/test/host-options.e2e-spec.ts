import { rm } from 'node:fs/promises';
import { EventBusConsoleModule } from '@kernel/eventbus-console';
import { Controller, Get, type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Browser } from 'playwright-core';
import { buildConsole } from './build-console.js';
import { describeWithChromium, launchChromium } from './chromium.js';

/** The part of the admin API that signs in. */
@Controller('admin/eventbus/session')
class SessionController {
  @Get()
  show() {
    return { role: 'operator', tenantId: null, name: 'an operator of this host' };
  }
}

@Module({ controllers: [SessionController] })
class HostModule {}

describeWithChromium('the console of a host with options of its own', () => {
  let pagesDirectory: string;
  let app: INestApplication;
  let browser: Browser;
  beforeAll(async () => {
    pagesDirectory = await buildConsole();
    const options = { pagesDirectory, path: '/ops/bus', adminPath: '/api/admin/eventbus', theme: 'dark' } as const;
    const host = { module: HostModule, imports: [EventBusConsoleModule.forRoot(options)] };
    app = await NestFactory.create(host, { logger: false, abortOnError: false });
    app.setGlobalPrefix('api');
    await app.listen(0, '127.0.0.1');
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await rm(pagesDirectory, { recursive: true, force: true });
  });

  it('opens a deep link, signs in at the admin API and stays below its path', async () => {
    const page = await browser.newPage({ colorScheme: 'light' });
    await page.goto(`${await app.getUrl()}/ops/bus/settings`);
    await page.getByLabel('Admin token').fill('a-token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');

    await page.getByRole('link', { name: 'Endpoints' }).click();
    await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/ops/bus/endpoints');
  });

  it("keeps a user's choice of colours over the host's", async () => {
    const page = await browser.newPage();
    await page.goto(`${await app.getUrl()}/ops/bus`);
    await page.getByLabel('Admin token').waitFor();
    await page.evaluate(`localStorage.setItem('kernel-console-theme', 'light')`);
    await page.reload();
    await page.getByLabel('Admin token').waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
  });
});
