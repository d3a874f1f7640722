import { z } from 'zod';
import { ACTOR_ID_PATH, formatPolicyPath, parsePolicyPath } from './policy-path.js';
import { quoteInput } from './quote-input.js';

export const POLICY_ACTIONS = ['keep', 'drop', 'mask', 'hash', 'truncate', 'coarsen'] as const;

export type PolicyAction = (typeof POLICY_ACTIONS)[number];

const MAX_RULES = 500;
const MAX_LENGTH = 10_000;
/** Decimals of a degree: eleven centimetres, below which coarsening hides nothing. */
const MAX_DECIMALS = 6;

export const PolicyPath = z.string().superRefine((path, context) => {
  if (path === ACTOR_ID_PATH) {
    return;
  }
  const parsed = parsePolicyPath(path);
  if (!parsed.ok) {
    context.addIssue({ code: 'custom', message: parsed.problem });
  }
});

/** Parameters besides the path. Each belongs to one action, which requires it. */
const PARAMETERS = { length: 'truncate', decimals: 'coarsen' } as const;

/** `$` and `@actorId` are kept or dropped as a whole: a webhook body has no place for a mask of them. */
export const PolicyRule = z
  .strictObject({
    path: PolicyPath,
    action: z.enum(POLICY_ACTIONS, {
      error: ({ input }) => `${quoteInput(input)} is no action: use one of ${POLICY_ACTIONS.join(', ')}`,
    }),
    length: wholeNumber(1, MAX_LENGTH).optional().meta({ description: 'truncate: how many characters go out' }),
    decimals: wholeNumber(0, MAX_DECIMALS).optional().meta({ description: 'coarsen: how many decimals go out' }),
  })
  .superRefine((rule, context) => {
    const { path, action } = rule;
    if ((path === '$' || path === ACTOR_ID_PATH) && action !== 'keep' && action !== 'drop') {
      context.addIssue({ code: 'custom', path: ['action'], message: `${path} takes keep or drop only` });
    }
    for (const [name, owner] of Object.entries(PARAMETERS) as [keyof typeof PARAMETERS, PolicyAction][]) {
      if ((rule[name] !== undefined) !== (action === owner)) {
        const message = action === owner ? `${owner} needs ${name}` : `${name} belongs to ${owner}, not to ${action}`;
        context.addIssue({ code: 'custom', path: [name], message });
      }
    }
  });

export type PolicyRule = z.infer<typeof PolicyRule>;

export const PolicyRules = z
  .array(PolicyRule)
  .max(MAX_RULES, `a policy has at most ${MAX_RULES} rules`)
  .superRefine((rules, context) => {
    const seen = new Set<string>();
    rules.forEach(({ path }, index) => {
      const spelled = canonicalPath(path);
      if (seen.has(spelled)) {
        context.addIssue({ code: 'custom', path: [index, 'path'], message: `a second rule for ${spelled}: keep one` });
      }
      seen.add(spelled);
    });
  });

export type PolicyRules = z.infer<typeof PolicyRules>;

/** True if the rules keep the envelope's `actorId`; `$` does not cover it. */
export function keepsActorId(rules: readonly PolicyRule[]): boolean {
  return rules.some(({ path, action }) => path === ACTOR_ID_PATH && action === 'keep');
}

/** The canonical spelling of a path; an unreadable path is returned unchanged. */
export function canonicalPath(path: string): string {
  const parsed = parsePolicyPath(path);
  return parsed.ok ? formatPolicyPath(parsed.segments) : path;
}

function wholeNumber(least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, error).max(most, error);
}
