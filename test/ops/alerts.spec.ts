import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readAlerts, type AlertRule } from './alert-rules.js';
import { describeWithPromtool, promtool, ROOT } from './promtool.js';

const RULES = 'ops/prometheus/alerts.yml';
const RULE_TESTS = 'ops/prometheus/alerts.test.yml';

interface RuleTest {
  name: string;
  promql_expr_test?: { expr: string; exp_samples: { labels: string; value: number }[] }[];
}

const alerts = await readAlerts();

describeWithPromtool('the alert rules', () => {
  it('[ADR-8] [ADR-13] are valid, and each fires when it should and not before', async () => {
    expect(await promtool('check', 'rules', RULES)).toMatchObject({ isOk: true });
    expect(await promtool('test', 'rules', RULE_TESTS)).toMatchObject({ isOk: true });
  });

  it('are looked after by a configuration that Prometheus takes, with the files that it names', async () => {
    const checked = await promtool('check', 'config', 'ops/prometheus/prometheus.yml');
    expect(checked).toMatchObject({ isOk: true });
    expect(checked.output).toContain(`${alerts.length} rules found`);
  });
});

describe('an alert', () => {
  let tests: RuleTest[];
  let runbook: string;
  beforeAll(async () => {
    ({ tests } = parse(await readFile(join(ROOT, RULE_TESTS), 'utf8')) as { tests: RuleTest[] });
    runbook = await readFile(join(ROOT, 'docs/runbook.md'), 'utf8');
  });

  it.each(alerts)('$alert is tried firing and quiet', ({ alert }: AlertRule) => {
    const tried = tests
      .flatMap((test) => test.promql_expr_test ?? [])
      .filter(({ expr }) => expr.includes(`"${alert}"`))
      .map(({ exp_samples }) => exp_samples[0]!.value);
    expect(new Set(tried)).toEqual(new Set([0, 1]));
  });

  it('is tried with two services, unless it is about a single target', () => {
    const { promql_expr_test: [tried] = [] } = tests.find(({ name }) => name.startsWith('two services'))!;
    const fired = tried!.exp_samples.map(({ labels }) => /alertname="(\w+)"/.exec(labels)![1]!);
    expect([...fired, 'ProcessDown'].toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
  });

  it.each(alerts)('$alert has a section in the runbook: what it means, what to look at, what repairs it', (rule) => {
    const section = runbook.split(/^## /m).find((text) => text.startsWith(`${rule.alert}\n`));
    expect(section).toMatch(/^\*\*Means\.\*\* \S/m);
    expect(section).toMatch(/^\*\*Look at\.\*\* \S/m);
    expect(section).toMatch(/^\*\*Repair\.\*\* \S[^]*^```sh\n[^]+?\n```$/m);
    expect(rule.annotations.runbook_url).toBe(`docs/runbook.md#${rule.alert.toLowerCase()}`);
  });

  it.each(alerts)('$alert says whether it may wait for the morning, and what is wrong', ({ labels, annotations }) => {
    expect(['page', 'ticket']).toContain(labels.severity);
    expect(annotations.summary.length).toBeGreaterThan(10);
  });

  it('is behind every section of the runbook', () => {
    const sections = [...runbook.matchAll(/^## (\S+)$/gm)].map(([, name]) => name);
    expect(sections.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
  });
});
