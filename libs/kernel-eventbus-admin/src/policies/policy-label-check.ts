import { rulesAgainstLabels, type PolicyRule } from '@kernel/privacy';
import { Injectable } from '@nestjs/common';
import { EventRegistry } from '@kernel/eventbus/engine';
import { problems } from '@kernel/http';

/** Labels are sent under every policy, so a rule against a label would be accepted and ignored. */
@Injectable()
export class PolicyLabelCheck {
  constructor(private readonly registry: EventRegistry) {}

  refuseToHoldBackLabels(eventType: string, rules: readonly PolicyRule[]): void {
    const labels = this.registry.find(eventType)?.privacy?.labels;
    const errors = rulesAgainstLabels(rules, labels).map((index) => ({
      path: `rules.${index}.action`,
      message: `${rules[index]!.path} is a label of ${eventType} and goes out under every policy: keep it, or leave the rule out`,
    }));
    if (errors.length > 0) {
      throw problems.invalidFields(errors);
    }
  }
}
