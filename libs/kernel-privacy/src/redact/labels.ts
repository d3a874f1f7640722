import { canonicalPath, type PolicyRule } from '../policy/policy-rule.js';

/** The rules with every label kept, overriding rules that cover it. */
export function keepLabels(rules: readonly PolicyRule[], labels: readonly string[] = []): PolicyRule[] {
  const isLabel = labelMatcher(labels);
  const others = rules.filter(({ path }) => !isLabel(path));
  return [...others, ...labels.map((path): PolicyRule => ({ path, action: 'keep' }))];
}

/** Indexes of the rules that would hold back a label or a part of it. */
export function rulesAgainstLabels(rules: readonly PolicyRule[], labels: readonly string[] = []): number[] {
  const isLabel = labelMatcher(labels);
  return rules.flatMap(({ path, action }, index) => (action !== 'keep' && isLabel(path) ? [index] : []));
}

/**
 * Matches paths that are a label or lead into one. In canonical spelling a step begins with a dot or a bracket, so
 * `$.ab` is not below `$.a`. Each path is read once.
 */
function labelMatcher(labels: readonly string[]): (path: string) => boolean {
  const spelled = labels.map(canonicalPath);
  if (spelled.length === 0) {
    return () => false;
  }
  return (path) => {
    const here = canonicalPath(path);
    return spelled.some((label) => here === label || here.startsWith(`${label}.`) || here.startsWith(`${label}[`));
  };
}
