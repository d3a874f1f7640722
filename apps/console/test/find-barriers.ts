import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Accessibility violations that axe finds on the visible page, with their elements; empty if there are none. */
export async function findBarriers(page: Page, rules?: string[]): Promise<string[]> {
  const runOnly = rules ? { type: 'rule', values: rules } : { type: 'tag', values: TAGS };
  await page.evaluate(`typeof axe === 'undefined' && (() => { ${axe.source} })()`);
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })})`,
  );
  return violations.map(
    ({ id, nodes }) => `${id}, ${nodes.length} times: ${nodes[0]!.html}
${nodes[0]!.failureSummary}`,
  );
}
