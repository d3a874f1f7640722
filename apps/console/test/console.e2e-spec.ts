import type { Page } from 'playwright-core';
import { describeWithChromium } from './chromium.js';
import { DESKTOP, PHONE, startConsoleApp, type ConsoleApp } from './console-app.js';
import { findBarriers } from './find-barriers.js';
import { listPages } from './pages.js';
import { takeScreenshots } from './take-screenshots.js';

const STRANGER = '11111111-1111-4111-8111-111111111111';
const RULES = ['invoiceId', 'lines', 'region', 'totalCents', 'status'].map((field) => ({
  path: `$.${field}`,
  action: 'keep',
}));

describeWithChromium('the console', () => {
  let app: ConsoleApp;
  beforeAll(async () => {
    app = await startConsoleApp();
    await app.ask('PUT', '/policies/invoice.created.v1', { tenantId: app.erp.tenantId, rules: RULES });
  });
  afterAll(() => app?.close());

  describe('signing in', () => {
    it('a wrong token is refused and kept nowhere', async () => {
      const page = await app.openTab();
      await page.goto(`${app.erp.url}/console`);
      await page.getByLabel('Admin token').fill('no-token-of-this-app');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('This token is not accepted.').waitFor();
      expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
      await page.context().close();
    });

    it('the printed link signs in once, and its code leaves the address at once', async () => {
      const page = await app.openTab();
      await page.goto(`${app.erp.url}/console`);
      await page.getByLabel('Admin token').waitFor();
      // On an open page, a link that differs only in its fragment does not reload.
      await page.goto(app.erp.consoleLink!);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(page.url()).toBe(`${app.erp.url}/console`);
      const kept =
        'JSON.stringify([Object.values(sessionStorage).length, Object.values(localStorage), document.cookie])';
      expect(await page.evaluate(kept)).toBe('[1,[],""]');
      await page.context().close();

      const second = await app.openTab();
      await second.goto(app.erp.consoleLink!);
      await second.getByText('sign in with the admin token').waitFor();
      expect(second.url()).toBe(`${app.erp.url}/console`);
      await second.context().close();
    });

    it('a page asks for the token first, then shows what its address names', async () => {
      const page = await app.openTab();
      await page.goto(`${app.erp.url}/console/lanes?blocked=true`);
      await page.getByLabel('Admin token').fill(app.erp.settings.adminToken!);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Lanes' }).waitFor();
      await page.getByText('No lane is blocked').waitFor();
      await page.route('**/admin/eventbus/session', (route) => route.abort());
      await page.reload();
      await page.getByText('the app cannot be reached').waitFor();
      await page.unroute('**/admin/eventbus/session');
      await page.reload();
      await page.getByText('No lane is blocked').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Admin token').waitFor();
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      await page.context().close();
    });
  });

  describe('did customer X get invoice Y', () => {
    let page: Page;
    beforeAll(async () => {
      page = await app.signIn();
    });
    afterAll(() => page?.context().close());

    it('shows what to do first while there is nothing', async () => {
      await app.visit(page, '');
      await page.getByText('Two steps, and it is live').waitFor();
    });

    it('creates an endpoint, complaining as one types, and shows its secret', async () => {
      await page.getByRole('link', { name: 'New endpoint' }).click();
      await page.getByLabel('Tenant').last().fill(app.erp.tenantId);
      await page.getByLabel('Name').fill('Customer X');
      await page.getByLabel('URL').fill('customer-x');
      await page.getByText('Write it like https://example.com/webhooks').waitFor();
      await page.getByLabel('URL').fill(app.receiver.url);
      await page.getByLabel('Event types').fill('invoice.created.v1');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Filter invoice.created.v1' }).click();
      await page.getByLabel('Field').fill('$.region');
      await page.getByLabel('Value').fill('EU');
      await page.getByRole('button', { name: 'Create endpoint' }).click();
      await page.getByText(/^whsec_/).waitFor();
      await page.getByRole('link', { name: 'Open endpoint' }).click();
      await page.getByText('$.region equals "EU"').waitFor();
    });

    it('sends a test and shows what came of it', async () => {
      await page.getByRole('button', { name: 'Send test' }).click();
      await page.getByText('Taken', { exact: true }).waitFor();
      await page.getByText(/status 204/).waitFor();
      expect(app.receiver.received.at(-1)!.body).toMatchObject({ type: 'kernel.ping.v1' });
    });

    it('[ADR-9] an invoice arrives while one watches', async () => {
      await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
      await page.getByText('No deliveries found').waitFor();
      const overview = await app.signIn();
      const firstSteps = overview.getByText('Two steps, and it is live');
      await firstSteps.waitFor();
      await app.createInvoice();
      const row = page.getByRole('row', { name: /invoice\.created\.v1/ });
      await row.getByText('Delivered', { exact: true }).waitFor();
      await row.getByText('Customer X').waitFor();
      await firstSteps.waitFor({ state: 'detached' });
      await overview.context().close();
    });

    it('[KER-1] tells the story of a delivery, with the very bytes', async () => {
      await page.getByRole('link', { name: 'invoice.created.v1' }).click();
      await page.getByText('SHA-256 matches what was sent').waitFor();
      const body = await page.getByRole('region', { name: 'body as sent' }).innerText();
      expect(JSON.parse(body)).toEqual(app.receiver.received.at(-1)!.body);
      expect(body).not.toMatch(/Ada|ada@example/);
      await page.getByText('delivered', { exact: true }).waitFor();
    });

    it('a broken receiver makes a dead letter', async () => {
      app.receiver.otherwise({ statusCode: 500, body: 'out of paper' });
      await page.getByRole('link', { name: 'Deliveries', exact: true }).first().click();
      await app.createInvoice();
      await page.getByText('Dead letter', { exact: true }).nth(1).waitFor();
      await page.getByRole('link', { name: /Dead letters/ }).click();
      await page.getByText('http_5xx').waitFor();
    });

    it('[KER-2.4] [KER-6e] counts it, replays it once the receiver is mended, and shows it delivered', async () => {
      app.receiver.otherwise(204);
      await page.getByLabel(/Choose http_5xx at Customer X/).check();
      await page.getByRole('button', { name: 'Count' }).click();
      await page.getByText('1 delivery would be sent again.').waitFor();
      await page.getByRole('button', { name: 'Replay 1' }).click();
      await page.mouse.click(5, 5);
      await page.getByLabel('Reason').fill('the printer has paper again');
      await page.keyboard.press('Enter');
      await page.getByText('1 of 1').waitFor();
      await page.getByText('No dead letters').waitFor();
      await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
      await page.getByRole('link', { name: 'invoice.created.v1' }).first().click();
      await page.getByText('the endpoint took it').waitFor();
      await page.getByText('Reason: the printer has paper again').waitFor();
      await page.getByText('out of paper').waitFor({ state: 'detached' });
      await page.locator('summary', { hasText: '500' }).first().click();
      await page.getByText('out of paper').waitFor();
      await page.getByText('SHA-256 matches what was sent').nth(1).waitFor();
    });

    it('tries a draft on recent events and says why not', async () => {
      await app.visit(page, `/endpoints/new?tenantId=${app.erp.tenantId}`);
      await page.getByRole('button', { name: 'invoice.created.v1', exact: true }).click();
      await page.getByRole('button', { name: 'Filter invoice.created.v1' }).click();
      await page.getByLabel('Field').fill('$.region');
      await page.getByLabel('Value').fill('US');
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      await page.getByText('0 of 2 recent events match.').waitFor();
      await page
        .getByText(/\$\.region/)
        .first()
        .waitFor();
    });

    it('[KER-6d] shows a policy side by side, with what is removed struck through', async () => {
      await app.visit(page, `/policies/invoice.created.v1?owner=${app.erp.tenantId}`);
      await page.locator('del', { hasText: 'ada@example.com' }).waitFor();
      const out = page.getByRole('region', { name: 'bytes out' });
      expect(await out.innerText()).toContain('"region": "EU"');
      await page.getByRole('button', { name: 'Remove the rule for $.region' }).click();
      await page.locator('del', { hasText: '"region"' }).waitFor();
    });

    it('verifies the ledger', async () => {
      await app.visit(page, '/ledger');
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByText('The ledger is as it was sealed').waitFor();
    });
  });

  describe("a tenant's admin", () => {
    it('[KER-T] sees his tenant alone, whatever the address says', async () => {
      const order = { name: 'stranger', role: 'tenant-admin', tenantId: STRANGER };
      const { token } = await app.ask<{ token: string }>('POST', '/tokens', order);
      const [delivery] = (await app.ask<{ items: { deliveryId: string }[] }>('GET', '/deliveries')).items;
      const page = await app.signIn(token);
      expect(await page.getByLabel('Tenant').count()).toBe(0);
      await app.visit(page, `/deliveries?tenantId=${app.erp.tenantId}`);
      await page.getByText('No deliveries found').waitFor();
      await app.visit(page, `/deliveries/${delivery!.deliveryId}`);
      await page.getByText('Not found').waitFor();
      await app.visit(page, '/settings');
      await page.getByText('Tokens are made and revoked by operators.').waitFor();
      await page.context().close();
    });
  });

  describe('every page', () => {
    it('has no barrier that axe finds, light or dark, and fits a phone', async () => {
      const page = await app.signIn();
      const found: string[] = [];
      for (const [name, path] of await listPages(app)) {
        await page.setViewportSize(DESKTOP);
        await page.emulateMedia({ colorScheme: 'light' });
        await app.visit(page, path);
        found.push(...(await findBarriers(page)).map((barrier) => `${name}, light: ${barrier}`));
        await page.emulateMedia({ colorScheme: 'dark' });
        found.push(...(await findBarriers(page, ['color-contrast'])).map((barrier) => `${name}, dark: ${barrier}`));
        await page.setViewportSize(PHONE);
        const overhang = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        found.push(...(overhang > 0 ? [`${name} is ${overhang} px wider than a phone`] : []));
      }
      expect(found).toEqual([]);
      await page.context().close();
    }, 300_000);

    it('can be gone to past the menu', async () => {
      const page = await app.signIn();
      await page.getByRole('link', { name: 'Skip to the page' }).press('Enter');
      await page.locator('main:focus').waitFor();
      await page.context().close();
    });

    it('is reached by keyboard on a phone, with the menu behind a button', async () => {
      const page = await app.signIn(undefined, { viewport: PHONE });
      await page.getByRole('button', { name: 'Menu' }).press('Enter');
      await page.getByRole('link', { name: 'Endpoints', exact: true }).press('Enter');
      await page.getByRole('heading', { name: 'Endpoints' }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await page.context().close();
    });

    if (process.env.SCREENSHOTS === 'write') {
      it('is shown in the docs', async () => {
        expect(await takeScreenshots(app)).not.toEqual([]);
      });
    }

    it('came from the app alone, and nothing in it was refused', () => {
      expect(app.complaints).toEqual([]);
    });
  });
});
