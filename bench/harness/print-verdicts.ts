import type { Verdict } from './work.ts';

export function printVerdicts(verdicts: readonly Verdict[]): void {
  console.log('\n| work | ratio of | ratio | target | met | medians |\n|---|---|---|---|---|---|');
  for (const verdict of verdicts) {
    const { work, compares, ratio, figures } = verdict;
    console.log(
      `| ${work} | ${compares} | ${ratio.toFixed(2)} | ${targetOf(verdict)} | ${metBy(verdict)} | ${figures} |`,
    );
  }
}

function targetOf({ target }: Verdict): string {
  if (!target) {
    return '';
  }
  return 'atLeast' in target ? `>= ${target.atLeast}` : `<= ${target.atMost}`;
}

function metBy({ target, ratio }: Verdict): string {
  if (!target) {
    return '';
  }
  return ('atLeast' in target ? ratio >= target.atLeast : ratio <= target.atMost) ? 'yes' : 'no';
}
