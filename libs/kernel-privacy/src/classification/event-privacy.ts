import { z } from 'zod';
import { parsePolicyPath } from '../policy/policy-path.js';
import { PolicyRules, type PolicyRule } from '../policy/policy-rule.js';
import { InvalidEventPrivacyError } from '../privacy.errors.js';

/** Personal and sensitive data of an event type, stated in its declaration. */
export interface EventPrivacy {
  /**
   * The policy used when none is stored for the type, neither the tenant's nor a default. Default: nothing goes out.
   */
  rules?: readonly PolicyRule[];
  /** Payload paths that no event of the type may have, not even as null. Publishing such an event fails. */
  forbidden?: readonly string[];
  /**
   * Payload paths that every event of the type must have and that every policy keeps: care label, data sovereignty,
   * governance references.
   */
  labels?: readonly string[];
  /** Names of attributes that every event of the type must have. Attributes go to the ledger, not to endpoints. */
  requiredAttributes?: readonly string[];
}

const MAX_PATHS = 500;

const ForbiddenPath = payloadPath((steps) => steps.length > 0, 'is the whole payload: name what is forbidden in it');
const LabelPath = payloadPath(
  (steps) => steps.length > 0 && steps.every(({ kind }) => kind === 'name'),
  "is no single place: a label's path is $ followed by .name or ['any name'] only",
);

const Schema = z.strictObject({
  rules: PolicyRules.optional(),
  forbidden: z.array(ForbiddenPath).max(MAX_PATHS).optional(),
  labels: z.array(LabelPath).max(MAX_PATHS).optional(),
  requiredAttributes: z.array(z.string().min(1)).max(MAX_PATHS).optional(),
});

/** @throws {InvalidEventPrivacyError} with every problem, named by its path */
export function checkEventPrivacy(eventType: string, privacy: unknown): EventPrivacy {
  const checked = Schema.safeParse(privacy);
  if (!checked.success) {
    throw new InvalidEventPrivacyError(eventType, z.prettifyError(checked.error), { cause: checked.error });
  }
  return checked.data;
}

function payloadPath(isFit: (steps: readonly { kind: 'name' | 'each' }[]) => boolean, problem: string) {
  return z.string().superRefine((path, context) => {
    const parsed = parsePolicyPath(path);
    if (!parsed.ok) {
      context.addIssue({ code: 'custom', message: parsed.problem });
    } else if (!isFit(parsed.segments)) {
      context.addIssue({ code: 'custom', message: `"${path}" ${problem}` });
    }
  });
}
