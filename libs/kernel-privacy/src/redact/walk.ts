import { changeLeaves } from './change-leaves.js';
import { coarsenNumber, truncateText } from './change-scalar.js';
import { isArray, isContainer, keysOf, setOwn } from './copy-json.js';
import { elementPath, listLeafPaths, memberPath } from './list-leaf-paths.js';
import { PendingHash } from './pending-hash.js';
import { REMOVED, type RemovedReason } from './removed.js';
import type { RuleTree } from './rule-tree.js';
import type { SettledAction } from './settled-action.js';

export const CHANGING_ACTIONS = ['mask', 'hash', 'truncate', 'coarsen'] as const;

export type ChangingAction = (typeof CHANGING_ACTIONS)[number];

export const MASK = '***';

/** The action that covers a value, or `wrong-shape` if a rule below expects another shape. */
type Covering = SettledAction | { kind: 'wrong-shape' };

const WRONG_SHAPE: Covering = { kind: 'wrong-shape' };

/** A position whose path is spelled only on demand: a member by its name, or the value at the path itself. */
interface Place {
  path: string;
  name?: string;
}

/**
 * Applies rules to one payload. Recurses along the rules, never along the payload alone, so its depth is that of the
 * longest rule.
 */
export class Walk {
  readonly removed = new Map<string, RemovedReason>();
  readonly changed = new Map<string, ChangingAction>();
  readonly pending: PendingHash[] = [];

  constructor(private readonly copy: (value: unknown) => unknown) {}

  payload(payload: Record<string, unknown>, rules: RuleTree): Record<string, unknown> {
    return fits(payload, rules)
      ? this.members(payload, rules, rules.action, '$')
      : this.members(payload, rules.labels, WRONG_SHAPE, '$');
  }

  /**
   * The most specific rule wins: the one at this path, else the nearest above it. Where a rule that holds something
   * back continues into another shape than this value's, the value may hold the same data elsewhere, so it does not go
   * out.
   */
  private value(value: unknown, rules: RuleTree | undefined, inherited: Covering | undefined, place: Place): unknown {
    const action = rules?.action ?? inherited;
    if (!rules || !leadsOn(rules) || holdsNothing(value)) {
      return this.settle(value, action, place);
    }
    if (!fits(value, rules)) {
      return this.value(value, rules.labels, WRONG_SHAPE, place);
    }
    if (rules.each && isArray(value)) {
      return this.elements(value, rules.each, action, pathOf(place));
    }
    if (rules.names.size > 0 && isContainer(value) && !isArray(value)) {
      const kept = this.members(value, rules, action, pathOf(place));
      return keysOf(kept).length > 0 ? kept : REMOVED;
    }
    return this.settle(value, action, place);
  }

  private members(
    value: Record<string, unknown>,
    rules: RuleTree | undefined,
    inherited: Covering | undefined,
    path: string,
  ): Record<string, unknown> {
    const kept: Record<string, unknown> = {};
    for (const name of keysOf(value)) {
      const result = this.value(value[name], rules?.names.get(name), inherited, { path, name });
      if (result !== REMOVED) {
        setOwn(kept, name, result);
      }
      if (result instanceof PendingHash) {
        result.standsAt(kept, name);
      }
    }
    return kept;
  }

  private elements(
    elements: readonly unknown[],
    rules: RuleTree,
    inherited: Covering | undefined,
    path: string,
  ): unknown {
    const kept: unknown[] = [];
    const place = { path: elementPath(path) };
    for (const element of elements) {
      const result = this.value(element, rules, inherited, place);
      if (result instanceof PendingHash) {
        result.standsAt(kept, kept.length);
      }
      if (result !== REMOVED) {
        kept.push(result);
      }
    }
    return kept.length > 0 ? kept : REMOVED;
  }

  /** No rule continues below: the action covers the whole value. */
  private settle(value: unknown, action: Covering | undefined, place: Place): unknown {
    switch (action?.kind) {
      case 'keep':
        return this.copy(value);
      case 'mask':
        this.changed.set(pathOf(place), 'mask');
        return MASK;
      case 'hash':
        return value === null ? null : this.hash(value, pathOf(place));
      case 'truncate':
        return this.truncate(value, action.length, pathOf(place));
      case 'coarsen':
        return this.coarsen(value, action.decimals, pathOf(place));
      case 'drop':
      case 'wrong-shape':
        return this.remove(value, pathOf(place), action.kind);
      case undefined:
        return this.remove(value, pathOf(place), 'no-rule');
    }
  }

  private hash(value: unknown, path: string): PendingHash {
    this.changed.set(path, 'hash');
    const place = new PendingHash(value);
    this.pending.push(place);
    return place;
  }

  private truncate(value: unknown, length: number, path: string): unknown {
    return changeLeaves(value, path, (leaf, leafPath) =>
      typeof leaf === 'string'
        ? this.replace(leaf, truncateText(leaf, length), path, 'truncate')
        : this.leave(leaf, leafPath, 'not-text'),
    );
  }

  private coarsen(value: unknown, decimals: number, path: string): unknown {
    return changeLeaves(value, path, (leaf, leafPath) =>
      typeof leaf === 'number'
        ? this.replace(leaf, coarsenNumber(leaf, decimals), path, 'coarsen')
        : this.leave(leaf, leafPath, 'not-number'),
    );
  }

  private replace<T>(leaf: T, changed: T, path: string, action: ChangingAction): T {
    if (leaf !== changed) {
      this.changed.set(path, action);
    }
    return changed;
  }

  /** Null reveals nothing; any other value of the wrong kind is removed. */
  private leave(leaf: unknown, leafPath: () => string, reason: RemovedReason): unknown {
    if (leaf === null) {
      return null;
    }
    this.removed.set(leafPath(), reason);
    return REMOVED;
  }

  private remove(value: unknown, path: string, reason: RemovedReason): typeof REMOVED {
    // An empty element does not decide the reason for its siblings.
    const isLast = !holdsNothing(value);
    listLeafPaths(value, path, (leaf) => (isLast || !this.removed.has(leaf)) && this.removed.set(leaf, reason));
    return REMOVED;
  }
}

function pathOf({ path, name }: Place): string {
  return name === undefined ? path : memberPath(path, name);
}

function leadsOn({ names, each }: RuleTree): boolean {
  return names.size > 0 || each !== undefined;
}

function holdsNothing(value: unknown): boolean {
  return value === null || (isContainer(value) && (isArray(value) ? value : keysOf(value)).length === 0);
}

function fits(value: unknown, { guardsMembers, guardsElements }: RuleTree): boolean {
  return (
    (!guardsMembers && !guardsElements) || (isContainer(value) && !(isArray(value) ? guardsMembers : guardsElements))
  );
}
