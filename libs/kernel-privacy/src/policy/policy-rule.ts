import { z } from 'zod';
import {
  ACTOR_ID_PATH,
  ENVELOPE_PATHS,
  formatPolicyPath,
  isEnvelopePath,
  parsePolicyPath,
  STREAM_KEY_PATH,
} from './policy-path.js';
import { quoteInput } from './quote-input.js';

export const POLICY_ACTIONS = ['keep', 'drop', 'mask', 'hash', 'truncate', 'coarsen'] as const;

export type PolicyAction = (typeof POLICY_ACTIONS)[number];

const MAX_RULES = 500;
const MAX_LENGTH = 10_000;
/** Decimals of a degree: eleven centimetres, below which coarsening hides nothing. */
const MAX_DECIMALS = 6;

export const PolicyPath = z.string().superRefine((path, context) => {
  if (isEnvelopePath(path)) {
    return;
  }
  const parsed = parsePolicyPath(path);
  if (!parsed.ok) {
    const ofEnvelope = `${quoteInput(path)} is no member of the envelope that a policy covers: use ${ENVELOPE_PATHS.join(' or ')}`;
    context.addIssue({ code: 'custom', message: path.startsWith('@') ? ofEnvelope : parsed.problem });
  }
});

/** Parameters besides the path. Each belongs to one action, which requires it. */
const PARAMETERS = { length: 'truncate', decimals: 'coarsen' } as const;

/**
 * Paths that take some actions only: a webhook body has no place for a mask of the payload or the actor, and a stream key
 * must keep streams apart.
 */
const LIMITED = new Map<string, readonly PolicyAction[]>([
  ['$', ['keep', 'drop']],
  [ACTOR_ID_PATH, ['keep', 'drop']],
  [STREAM_KEY_PATH, ['keep', 'hash', 'drop']],
]);

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
    const allowed = LIMITED.get(path);
    if (allowed && !allowed.includes(action)) {
      const message = `${path} takes ${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1)} only`;
      context.addIssue({ code: 'custom', path: ['action'], message });
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

/** The action for the envelope's `streamKey`: keep without a rule, as `$` does not cover it. */
export function streamKeyAction(rules: readonly PolicyRule[]): 'keep' | 'hash' | 'drop' {
  const action = rules.find(({ path }) => path === STREAM_KEY_PATH)?.action ?? 'keep';
  return action === 'keep' || action === 'hash' ? action : 'drop';
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
