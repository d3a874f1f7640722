import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Scrape } from '@kernel/test-support/scrape';
import { promtool, ROOT } from './promtool.js';

export interface Panel {
  title: string;
  type: string;
  targets?: { expr: string }[];
}

const DASHBOARDS = join(ROOT, 'ops/grafana/dashboards');
const KEYWORDS = new Set(['and', 'or', 'unless', 'by', 'without', 'bool', 'on', 'ignoring', 'group_left', 'offset']);
/** Metrics that Prometheus itself adds for every target. */
const PROMETHEUS_OWN = new Set(['up']);

export async function readPanels(): Promise<Panel[]> {
  const files = (await readdir(DASHBOARDS)).filter((file) => file.endsWith('.json'));
  const texts = await Promise.all(files.map((file) => readFile(join(DASHBOARDS, file), 'utf8')));
  return texts.flatMap((text) => (JSON.parse(text) as { panels: Panel[] }).panels);
}

/** With Grafana's variables replaced. */
export function withoutVariables(expression: string): string {
  return expression.replaceAll('$__rate_interval', '5m').replaceAll('$service', '.*');
}

/** Selectors of the kernel's metrics in a panel's expression that the dashboard's variable does not filter. */
export function unfilteredSelectors(expression: string): string[] {
  const selectors = [...expression.matchAll(/\b(?:kernel|outbox)_\w+(\{[^}]*\})?/g)];
  return selectors.filter(([, labels]) => !labels?.includes('service=~"$service"')).map(([selector]) => selector);
}

/** Aggregations of an expression that merge services: those of one would hide those of another. */
export function mergedServices(expression: string): string[] {
  const aggregations = [...expression.matchAll(/\b(?:sum|max|min|avg|count)\b(?:\s+by\s*\(([^)]*)\))?/g)];
  return aggregations.filter(([, by]) => !by?.split(/,\s*/).includes('service')).map(([aggregation]) => aggregation);
}

/** Metrics that an expression names and no process exposes. */
export function unknownMetrics(expression: string, { names }: Scrape): string[] {
  const bare = expression
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ');
  const words = [...bare.matchAll(/(?<![\w.])([a-z_][a-z0-9_]*)\b(?!\s*\()/gi)].map(([, word]) => word!);
  return words.filter((word) => !KEYWORDS.has(word) && !names.has(word) && !PROMETHEUS_OWN.has(word));
}

/** promtool's output for expressions that are invalid or match none of the scraped metrics; empty if all are fine. */
export async function evaluate(expressions: readonly string[], scrape: Scrape): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kernel-promtool-'));
  try {
    const file = join(folder, 'expressions.test.yml');
    await writeFile(file, stringify({ evaluation_interval: '1m', tests: [toTest(expressions, scrape)] }));
    const { isOk, output } = await promtool('test', 'rules', file);
    return isOk ? '' : output;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function toTest(expressions: readonly string[], { samples }: Scrape) {
  return {
    interval: '1m',
    input_series: samples.map(({ name, labels, value }) => {
      const texts = Object.entries({ ...labels, instance: 'a:3000', job: 'kernel-eventbus' });
      const selector = texts.map(([label, text]) => `${label}=${JSON.stringify(text)}`).join(',');
      return { series: `${name}{${selector}}`, values: `${Number.isFinite(value) ? value : 0}x60` };
    }),
    promql_expr_test: expressions.map((expression) => ({
      expr: `(count(${expression}) > bool 0) or vector(0)`,
      eval_time: '60m',
      exp_samples: [{ labels: '{}', value: 1 }],
    })),
  };
}
