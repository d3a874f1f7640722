import { canonicalPath, type PolicyRule } from '../policy/policy-rule.js';

/** The rules with every label kept, whatever they say of it. */
export function keepLabels(rules: readonly PolicyRule[], labels: readonly string[] = []): PolicyRule[] {
  const others = rules.filter(({ path }) => !labels.some((label) => isAtOrBelow(path, label)));
  return [...others, ...labels.map((path): PolicyRule => ({ path, action: 'keep' }))];
}

/** Which rules, by their index, would hold back a label or a part of it. */
export function rulesAgainstLabels(rules: readonly PolicyRule[], labels: readonly string[] = []): number[] {
  return rules.flatMap(({ path, action }, index) =>
    action !== 'keep' && labels.some((label) => isAtOrBelow(path, label)) ? [index] : [],
  );
}

/** In their one spelling a step begins with a dot or a bracket, so `$.ab` is not below `$.a`. */
function isAtOrBelow(path: string, ancestor: string): boolean {
  const [spelled, above] = [canonicalPath(path), canonicalPath(ancestor)];
  return spelled === above || spelled.startsWith(`${above}.`) || spelled.startsWith(`${above}[`);
}
