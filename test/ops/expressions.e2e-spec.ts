import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { newInvoice, startTestErp, type TestErp } from '@kernel/test-support/start-test-erp';
import { Scrape } from '@kernel/test-support/scrape';
import { readAlerts } from './alert-rules.js';
import {
  evaluate,
  mergedServices,
  readPanels,
  unfilteredSelectors,
  unknownMetrics,
  withoutVariables,
} from './expressions.js';
import { describeWithPromtool, promtoolReading } from './promtool.js';

const panels = await readPanels();
const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const expressions = asked.map(withoutVariables);
/** What promtool says of the names that ADR-7 and AC11 prescribe. */
const PRESCRIBED = ["outbox_backlog_gauge metric name should not include type 'gauge'"];

describe('what is asked of Prometheus', () => {
  let erp: TestErp;
  let receiver: WebhookReceiver;
  let scrape: Scrape;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    receiver.answers(500);
    erp = await startTestErp({ role: 'all', retry: { initialDelayMs: 20 } });
    const endpoint = { tenantId: erp.tenantId, url: receiver.url, subscribedTypes: ['invoice.created.v1'] };
    const { status } = await erp.request('POST', '/admin/eventbus/endpoints', endpoint, {
      authorization: `Bearer ${erp.settings.adminToken}`,
    });
    expect(status).toBe(201);
    await erp.request('POST', '/invoices', newInvoice(erp.tenantId));
    await waitFor(async () => {
      scrape = new Scrape(await (await fetch(`${erp.url}/metrics`)).text());
      return (scrape.value('outbox_published_total') ?? 0) > 0;
    }, 'a delivery to be counted');
  });
  afterAll(async () => {
    await erp.close();
    await receiver.stop();
  });

  it.each(expressions)('a panel names only metrics that the app exposes: %s', (expression) => {
    expect(unknownMetrics(expression, scrape)).toEqual([]);
  });

  it('an alert names only metrics that the app exposes', async () => {
    const alerts = await readAlerts();
    expect(alerts.flatMap(({ expr }) => unknownMetrics(expr, scrape))).toEqual([]);
  });

  it('has the label service on every sample, so that several services share a Prometheus', () => {
    expect(scrape.samples.length).toBeGreaterThan(100);
    expect(scrape.samples.filter(({ labels }) => labels.service !== 'erp')).toEqual([]);
  });

  it('names the unit of every age, lag, latency and duration', () => {
    const measured = [...scrape.types.keys()].filter((name) => /_(age|lag|latency|duration)(_|$)/.test(name));
    expect(measured.length).toBeGreaterThan(10);
    expect(measured.filter((name) => !/_(seconds|transactions)$/.test(name))).toEqual([]);
  });

  it.each(asked)('a panel shows the chosen services only, and each apart: %s', (expression) => {
    expect(unfilteredSelectors(expression)).toEqual([]);
    expect(mergedServices(expression)).toEqual([]);
  });

  it('an alert of one service neither hides nor causes that of another', async () => {
    const alerts = await readAlerts();
    expect(alerts.flatMap(({ expr }) => mergedServices(expr))).toEqual([]);
    const named = alerts.filter(({ annotations }) => annotations.summary.includes('$labels.service'));
    // `up` belongs to a target, not to a service.
    expect(alerts.filter((alert) => !named.includes(alert)).map(({ alert }) => alert)).toEqual(['ProcessDown']);
  });

  it('would be found out with a name that does not exist', () => {
    const wrong =
      'sum by (service) (rate(outbox_publishd_total{service=~".*"}[5m])) / max by (service) (kernel_backlog) or up';
    expect(unknownMetrics(wrong, scrape)).toEqual(['outbox_publishd_total']);
  });

  it.each([
    ['backlog', 'outbox_backlog_gauge'],
    [
      'publish latency (p99)',
      'histogram_quantile(0.99, sum by (service, le) (rate(outbox_publish_latency_seconds_bucket',
    ],
    ['failure rate', 'outbox_failed_permanent_total'],
    ['events created rate', 'rate(outbox_events_created_total'],
    ['pending events', 'outbox_events_pending'],
    ['events by type', 'sum by (service, event_type) (increase(outbox_events_created_total'],
  ])('[ADR-9] a panel shows %s', (_what, expression) => {
    expect(expressions.filter((one) => one.includes(expression))).not.toEqual([]);
  });

  describeWithPromtool('promtool, which checks what was scraped,', () => {
    it('[ADR-7] [AC11] has nothing to say beyond the prescribed names', async () => {
      const { output } = await promtoolReading(scrape.text, 'check', 'metrics');
      expect(output.trim().split('\n')).toEqual(PRESCRIBED);
    });
  });

  describeWithPromtool('promtool, which evaluates the expressions over what was scraped,', () => {
    it('[ADR-9] finds something for every panel', async () => {
      expect(expressions.length).toBeGreaterThan(30);
      expect(await evaluate(expressions, scrape)).toBe('');
    });

    it.each([
      ['a metric that does not exist', 'sum(rate(outbox_publishd_total[5m]))', 'outbox_publishd_total'],
      ['a label that it does not have', 'max(kernel_backlog{circuit="shut"})', 'shut'],
      ['what is no PromQL', 'sum by (le (kernel_backlog)', 'parse error'],
    ])('refuses %s', async (_what, wrong, complaint) => {
      expect(await evaluate(['max(kernel_backlog)', wrong], scrape)).toContain(complaint);
    });
  });
});
