import { IsolationLevel } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { InvalidPolicyError, PolicyVersionConflictError } from '../privacy.errors.js';
import {
  insertPolicyVersion,
  listCurrentPolicies,
  type PolicyListing,
  lockPolicyVersions,
  selectCurrentPolicy,
  selectPolicyById,
  selectPolicyVersion,
  type PolicyVersion,
} from './policies.sql.js';
import { PolicyRules, type PolicyRule } from './policy-rule.js';
import { readPolicyRow, type PrivacyPolicy } from './privacy-policy.js';

export interface NewPolicy {
  /** Null stores the default of the type. */
  tenantId: string | null;
  eventType: string;
  rules: readonly PolicyRule[];
  createdBy: string;
}

type PolicyChangeListener = (eventType: string) => void;

const UNIQUE_VIOLATION = '23505';

@Injectable()
export class PolicyStore {
  private readonly listeners: PolicyChangeListener[] = [];
  private readonly uncommitted = new WeakMap<object, string[]>();
  private reader: Pick<EntityManager, 'getKysely'> | undefined;

  constructor(private readonly em: EntityManager) {
    em.getEventManager().registerSubscriber({
      afterTransactionCommit: ({ transaction }) => this.uncommitted.get(transaction as object)?.forEach(this.tell),
    });
  }

  /** The tenant's latest version, else the default of the type; undefined when there is neither. */
  async current(
    tenantId: string,
    eventType: string,
    em: Pick<EntityManager, 'getKysely'> = this.em,
  ): Promise<PrivacyPolicy | undefined> {
    const row = await selectCurrentPolicy(em, tenantId, eventType);
    return row && readPolicyRow(row);
  }

  /** The same outside any running transaction: safe to cache, because it cannot be rolled back. */
  currentCommitted(tenantId: string, eventType: string): Promise<PrivacyPolicy | undefined> {
    return this.current(tenantId, eventType, this.reader ?? this.em.fork());
  }

  /**
   * Reads committed policies through this reader instead of the host's EntityManager, e.g. one with deadlines. It must
   * not join a transaction.
   */
  readThrough(reader: Pick<EntityManager, 'getKysely'>): void {
    this.reader = reader;
  }

  /** One version, current or not. */
  async byId(policyId: string, em = this.em): Promise<PrivacyPolicy | undefined> {
    const row = await selectPolicyById(em, policyId);
    return row && readPolicyRow(row);
  }

  /** Stores the next version, in the caller's transaction if there is one (it is not committed here). */
  async put(policy: NewPolicy, em = this.em): Promise<PrivacyPolicy> {
    const rules = PolicyRules.safeParse(policy.rules);
    if (!rules.success) {
      throw new InvalidPolicyError(policy.eventType, z.prettifyError(rules.error), { cause: rules.error });
    }
    const valid = { ...policy, rules: rules.data };
    if (!em.isInTransaction()) {
      const stored = await em.fork().transactional((transactionEm) => this.insert(valid, transactionEm), {
        isolationLevel: IsolationLevel.READ_COMMITTED,
      });
      this.tell(stored.eventType);
      return stored;
    }
    const stored = await this.insert(valid, em);
    this.tellNowAndAfterCommit(stored.eventType, em);
    return stored;
  }

  /**
   * The version before this one: versions have no gaps. Undefined for the first. Its rules are as stored, even if this
   * version of the library cannot apply them.
   */
  async versionBefore(policy: PolicyVersion, em = this.em): Promise<{ version: number; rules: unknown } | undefined> {
    const row = await selectPolicyVersion(em, { ...policy, version: policy.version - 1 });
    return row && { version: row.version, rules: JSON.parse(row.rules) as unknown };
  }

  /** The current version of each policy, newest first; pass the last `policyId` of a page as the next `before`. */
  async list(listing: PolicyListing, em = this.em): Promise<PrivacyPolicy[]> {
    return (await listCurrentPolicies(em, listing)).map(readPolicyRow);
  }

  /** Calls the listener with the event type of every policy put through this store. */
  onChange(listener: PolicyChangeListener): void {
    this.listeners.push(listener);
  }

  private async insert(policy: NewPolicy & { rules: PolicyRules }, em: EntityManager): Promise<PrivacyPolicy> {
    try {
      await lockPolicyVersions(em, policy.tenantId, policy.eventType);
      return readPolicyRow(await insertPolicyVersion(em, { ...policy, policyId: uuidv7() }));
    } catch (error) {
      if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) {
        throw new PolicyVersionConflictError(policy.eventType, { cause: error });
      }
      throw error;
    }
  }

  // Until the commit other transactions still read, and may cache, the previous version.
  private tellNowAndAfterCommit(eventType: string, em: EntityManager): void {
    const transaction = em.getTransactionContext<object>()!;
    this.uncommitted.set(transaction, [...(this.uncommitted.get(transaction) ?? []), eventType]);
    this.tell(eventType);
  }

  private readonly tell = (eventType: string): void => this.listeners.forEach((listener) => listener(eventType));
}
