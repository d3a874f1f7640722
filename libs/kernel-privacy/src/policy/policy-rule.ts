import { z } from 'zod';
import { ACTOR_ID_PATH, formatPolicyPath, parsePolicyPath } from './policy-path.js';

export const POLICY_ACTIONS = ['keep', 'drop', 'mask', 'hash'] as const;

export type PolicyAction = (typeof POLICY_ACTIONS)[number];

const MAX_RULES = 500;

const PolicyPath = z.string().superRefine((path, context) => {
  if (path === ACTOR_ID_PATH) {
    return;
  }
  const parsed = parsePolicyPath(path);
  if (!parsed.ok) {
    context.addIssue({ code: 'custom', message: parsed.problem });
  }
});

/** `$` and `@actorId` are let out or held back as a whole: a webhook body has no place for a mask of them. */
export const PolicyRule = z
  .strictObject({
    path: PolicyPath,
    action: z.enum(POLICY_ACTIONS, {
      error: ({ input }) =>
        `${JSON.stringify(input) ?? 'nothing'} is no action: use one of ${POLICY_ACTIONS.join(', ')}`,
    }),
  })
  .superRefine(({ path, action }, context) => {
    if ((path === '$' || path === ACTOR_ID_PATH) && action !== 'keep' && action !== 'drop') {
      context.addIssue({ code: 'custom', path: ['action'], message: `${path} takes keep or drop only` });
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

/** Whether the rules let the envelope's `actorId` out; `$` does not reach it. */
export function keepsActorId(rules: readonly PolicyRule[]): boolean {
  return rules.some(({ path, action }) => path === ACTOR_ID_PATH && action === 'keep');
}

function canonicalPath(path: string): string {
  const parsed = parsePolicyPath(path);
  return parsed.ok ? formatPolicyPath(parsed.segments) : path;
}
