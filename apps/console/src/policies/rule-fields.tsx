import { POLICY_ACTIONS, type PolicyAction, type PolicyRule } from '../connection/responses.ts';
import type { Problem } from '../connection/problem.ts';
import { Button } from '../elements/button.tsx';
import { Field } from '../elements/field.tsx';
import { Icon } from '../elements/icon.tsx';

const ACTION_TEXTS: Record<PolicyAction, string> = {
  keep: 'keep as it is',
  drop: 'drop',
  mask: 'mask as ***',
  hash: 'hash, keyed per tenant',
  truncate: 'truncate to',
  coarsen: 'coarsen to decimals',
};
/** Parameter of an action. */
const NEEDS = { truncate: 'length', coarsen: 'decimals' } as const;

interface RuleFieldsProps {
  rules: readonly PolicyRule[];
  onChange: (rules: PolicyRule[]) => void;
  problem: Problem | undefined;
  isReadOnly: boolean;
}

export function RuleFields({ rules, onChange, problem, isReadOnly }: RuleFieldsProps) {
  const replace = (index: number, rule: PolicyRule) => onChange(rules.map((one, at) => (at === index ? rule : one)));
  return (
    <div class="stack">
      {rules.length === 0 && <p class="muted">No rules: external endpoints get an empty payload.</p>}
      <div class="rules">
        {rules.map((rule, index) => (
          <div key={index} class="rule">
            <Field label="Path" error={problem?.fields.get(`rules.${index}.path`) ?? checkPath(rule.path)}>
              {(attributes) => (
                <input
                  {...attributes}
                  class="input"
                  autocomplete="off"
                  spellcheck={false}
                  disabled={isReadOnly}
                  value={rule.path}
                  onInput={(event) => replace(index, { ...rule, path: event.currentTarget.value })}
                />
              )}
            </Field>
            <Field label="Action" error={problem?.fields.get(`rules.${index}.action`)}>
              {(attributes) => (
                <select
                  {...attributes}
                  class="input"
                  disabled={isReadOnly}
                  value={rule.action}
                  onChange={(event) => replace(index, withAction(rule, event.currentTarget.value as PolicyAction))}
                >
                  {POLICY_ACTIONS.map((action) => (
                    <option key={action} value={action}>
                      {ACTION_TEXTS[action]}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <RuleNumber rule={rule} isReadOnly={isReadOnly} onChange={(changed) => replace(index, changed)} />
            {!isReadOnly && (
              <button
                type="button"
                class="icon-button"
                aria-label={`Remove the rule for ${rule.path}`}
                onClick={() => onChange(rules.filter((_, at) => at !== index))}
              >
                <Icon name="close" />
              </button>
            )}
          </div>
        ))}
      </div>
      {!isReadOnly && (
        <div>
          <Button icon="plus" onClick={() => onChange([...rules, { path: '$.', action: 'keep' }])}>
            Rule
          </Button>
        </div>
      )}
    </div>
  );
}

interface RuleNumberProps {
  rule: PolicyRule;
  isReadOnly: boolean;
  onChange: (rule: PolicyRule) => void;
}

function RuleNumber({ rule, isReadOnly, onChange }: RuleNumberProps) {
  const name = rule.action === 'truncate' || rule.action === 'coarsen' ? NEEDS[rule.action] : undefined;
  if (!name) return <span />;
  return (
    <Field label={name === 'length' ? 'Characters' : 'Decimals'}>
      {(attributes) => (
        <input
          {...attributes}
          class="input"
          type="number"
          min={name === 'length' ? 1 : 0}
          max={name === 'length' ? 10_000 : 6}
          disabled={isReadOnly}
          value={rule[name]}
          onInput={(event) => onChange({ ...rule, [name]: Number(event.currentTarget.value) })}
        />
      )}
    </Field>
  );
}

function withAction({ path }: PolicyRule, action: PolicyAction): PolicyRule {
  return { path, action, ...(action === 'truncate' && { length: 4 }), ...(action === 'coarsen' && { decimals: 2 }) };
}

function checkPath(path: string): string | undefined {
  const isFine =
    path === '@actorId' || path === '@streamKey' || /^\$(\.[\p{L}_][\p{L}\p{N}_]*|\[['"].*['"]\]|\[\*\])*$/u.test(path);
  return isFine ? undefined : 'Write it like $.customer.email or $.lines[*].amountCents';
}
