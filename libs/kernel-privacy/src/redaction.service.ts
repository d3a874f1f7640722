import { Injectable } from '@nestjs/common';
import { PolicyCache } from './policy/policy-cache.js';
import { keepsActorId } from './policy/policy-rule.js';
import { PolicyStore } from './policy/policy-store.js';
import type { PrivacyPolicy } from './policy/privacy-policy.js';
import { HashKeyUnavailableError, PolicyUnavailableError } from './privacy.errors.js';
import { PrivacyConfig } from './privacy.options.js';
import { hmacSha256 } from './redact/hmac-sha256.js';
import { redactByTree, type HashText, type Redaction } from './redact/redact.js';
import { compileRules, type RuleTree } from './redact/rule-tree.js';

export interface RedactionRequest {
  tenantId: string;
  eventType: string;
  payload: Record<string, unknown>;
}

export interface RedactionResult extends Redaction {
  /** Null when there was no policy, and so nothing is left of the payload. */
  policyId: string | null;
  policyVersion: number | null;
  /** Whether the envelope's `actorId` may go out. */
  keepsActorId: boolean;
}

/** The part of a policy that redaction needs; a preview can make one up. */
export type AppliedPolicy = Pick<PrivacyPolicy, 'policyId' | 'version' | 'rules'>;

interface CompiledPolicy extends AppliedPolicy {
  tree: RuleTree;
}

const MIN_KEY_BYTES = 16;

/** Fails closed: no policy leaves nothing of the payload, and a policy that cannot be read is an error. */
@Injectable()
export class RedactionService {
  private readonly cache: PolicyCache<CompiledPolicy | undefined>;

  constructor(
    private readonly store: PolicyStore,
    private readonly config: PrivacyConfig,
  ) {
    this.cache = new PolicyCache({ ttlMs: config.cacheTtlMs });
    store.onChange((eventType) => this.cache.forget(eventType));
  }

  /** Redacts under the policy in force. */
  async redactFor(request: RedactionRequest): Promise<RedactionResult> {
    return this.apply(await this.policyFor(request), request);
  }

  /** Redacts under the policy given, or under none: for previews. */
  redactWith(policy: AppliedPolicy | undefined, request: RedactionRequest): Promise<RedactionResult> {
    return this.apply(policy && compile(policy), request);
  }

  private async policyFor({ tenantId, eventType }: RedactionRequest): Promise<CompiledPolicy | undefined> {
    try {
      return await this.cache.load(tenantId, eventType, async () => {
        const policy = await this.store.currentCommitted(tenantId, eventType);
        return policy && compile(policy);
      });
    } catch (error) {
      throw new PolicyUnavailableError(tenantId, eventType, { cause: error });
    }
  }

  private async apply(policy: CompiledPolicy | undefined, request: RedactionRequest): Promise<RedactionResult> {
    const rules = policy?.rules ?? [];
    const hash = rules.some(({ action }) => action === 'hash') ? await this.hashFor(request) : refuseToHash;
    return {
      ...redactByTree(request.payload, policy?.tree ?? compileRules([]), hash),
      policyId: policy?.policyId ?? null,
      policyVersion: policy?.version ?? null,
      keepsActorId: keepsActorId(rules),
    };
  }

  private async hashFor({ tenantId, eventType }: RedactionRequest): Promise<HashText> {
    const key = await this.keyOf(tenantId, eventType);
    if (!Buffer.isBuffer(key) || key.length < MIN_KEY_BYTES) {
      throw new HashKeyUnavailableError(tenantId, eventType, `its key is no Buffer of at least ${MIN_KEY_BYTES} bytes`);
    }
    return hmacSha256(key);
  }

  private async keyOf(tenantId: string, eventType: string): Promise<Buffer> {
    try {
      return await this.config.tenantHashKey(tenantId);
    } catch (error) {
      throw new HashKeyUnavailableError(tenantId, eventType, 'tenantHashKey failed', { cause: error });
    }
  }
}

function compile(policy: AppliedPolicy): CompiledPolicy {
  return { ...policy, tree: compileRules(policy.rules) };
}

function refuseToHash(): never {
  throw new Error('A value is to be hashed under a policy without a hash rule.');
}
