import { Injectable } from '@nestjs/common';
import { PolicyCache } from './policy/policy-cache.js';
import { PolicyStore } from './policy/policy-store.js';
import { HashKeyUnavailableError, PolicyUnavailableError } from './privacy.errors.js';
import { PrivacyConfig } from './privacy.options.js';
import { compilePolicy, type AppliedPolicy, type CompiledPolicy } from './redact/compiled-policy.js';
import { hmacSha256 } from './redact/hmac-sha256.js';
import { fillHashes, type HashText } from './redact/pending-hash.js';
import { redactByTree, type Redaction } from './redact/redact.js';
import { writeJson } from './redact/write-json.js';

/** Tenant and type of an event. */
export interface EventOwner {
  tenantId: string;
  eventType: string;
}

interface EventToRedact extends EventOwner {
  /** The envelope's stream key. Default: none. */
  streamKey?: string;
}

export interface RedactionRequest extends EventToRedact {
  payload: Record<string, unknown>;
}

export interface JsonRedactionRequest extends EventToRedact {
  /** JSON text of an object. */
  payloadJson: string;
}

interface UnderPolicy {
  /** Null if no stored policy was applied. */
  policyId: string | null;
  /** 0: the declared rules of the type; null: no policy, so only labels are left. */
  policyVersion: number | null;
  /** True if the envelope's `actorId` may go out. */
  keepsActorId: boolean;
  /** The given stream key as it may go out; null: it may not. */
  streamKey?: string | null;
}

export interface RedactionResult extends Redaction, UnderPolicy {}

export interface JsonRedactionResult extends Omit<Redaction, 'payload'>, UnderPolicy {
  /** The given text itself if nothing was removed or changed. */
  payloadJson: string;
}

const MIN_KEY_BYTES = 16;

const NO_POLICY: AppliedPolicy = { policyId: null, version: null, rules: [] };

/** Fails closed: without a policy only labels go out, and an unreadable policy is an error. */
@Injectable()
export class RedactionService {
  private readonly cache: PolicyCache<CompiledPolicy>;

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

  /** The same from text to text; a payload that goes out whole is not parsed. */
  async redactJson(request: JsonRedactionRequest): Promise<JsonRedactionResult> {
    return this.applyToJson(await this.policyFor(request), request);
  }

  /** The same under the policy that an earlier result names; undefined when that version is gone. */
  async redactJsonAgain(
    { policyId, policyVersion }: Pick<UnderPolicy, 'policyId' | 'policyVersion'>,
    request: JsonRedactionRequest,
  ): Promise<JsonRedactionResult | undefined> {
    const policy = policyId === null ? this.unstoredPolicy(policyVersion, request) : await this.store.byId(policyId);
    return policy && this.applyToJson(this.compile(policy, request), request);
  }

  private async applyToJson(policy: CompiledPolicy, request: JsonRedactionRequest): Promise<JsonRedactionResult> {
    const { payloadJson } = request;
    const streamKey = this.streamKeyUnder(policy, request);
    // Only a hash is awaited: every attempt takes this path.
    const facts = factsOf(policy, streamKey instanceof Promise ? await streamKey : streamKey);
    if (policy.keepsPayload) {
      return { payloadJson, removed: [], changed: [], ...facts };
    }
    const given = JSON.parse(payloadJson) as Record<string, unknown>;
    const { payload, removed, changed, pending } = redactByTree(given, policy.tree, asItIs);
    if (pending.length > 0) {
      await fillHashes(pending, await this.hashFor(request));
    }
    const isUntouched = removed.length === 0 && changed.length === 0;
    return {
      payloadJson: isUntouched ? payloadJson : writeJson(payload),
      removed,
      changed,
      ...facts,
    };
  }

  /** Redacts under the given policy, or under none: for previews. */
  redactWith(policy: AppliedPolicy | undefined, request: RedactionRequest): Promise<RedactionResult> {
    return this.apply(this.compile(policy ?? NO_POLICY, request), request);
  }

  private async policyFor(owner: EventOwner): Promise<CompiledPolicy> {
    const { tenantId, eventType } = owner;
    try {
      return await this.cache.load(tenantId, eventType, async () => {
        const stored = await this.store.currentCommitted(tenantId, eventType);
        return this.compile(stored ?? this.declaredPolicy(eventType), owner);
      });
    } catch (error) {
      throw new PolicyUnavailableError(tenantId, eventType, { cause: error });
    }
  }

  private unstoredPolicy(version: number | null, { eventType }: EventOwner): AppliedPolicy | undefined {
    const declared = version === 0 ? this.declaredPolicy(eventType) : NO_POLICY;
    return declared.version === version ? declared : undefined;
  }

  private declaredPolicy(eventType: string): AppliedPolicy {
    const rules = this.config.eventPrivacy(eventType)?.rules;
    return rules ? { policyId: null, version: 0, rules } : NO_POLICY;
  }

  private compile(policy: AppliedPolicy, { eventType }: EventOwner): CompiledPolicy {
    return compilePolicy(policy, this.config.eventPrivacy(eventType)?.labels);
  }

  private async apply(policy: CompiledPolicy, request: RedactionRequest): Promise<RedactionResult> {
    const { pending, ...redaction } = redactByTree(request.payload, policy.tree);
    if (pending.length > 0) {
      await fillHashes(pending, await this.hashFor(request));
    }
    return { ...redaction, ...factsOf(policy, await this.streamKeyUnder(policy, request)) };
  }

  /** Without a rule the key is returned as it is. */
  private streamKeyUnder(
    { streamKeyAction: action }: CompiledPolicy,
    request: EventToRedact,
  ): string | null | undefined | Promise<string> {
    const { streamKey } = request;
    if (streamKey === undefined || action === 'keep') {
      return streamKey;
    }
    return action === 'drop' ? null : this.hashFor(request).then((hash) => hash(streamKey));
  }

  private async hashFor({ tenantId, eventType }: EventOwner): Promise<HashText> {
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

function factsOf({ policyId, version, keepsActorId }: CompiledPolicy, streamKey?: string | null): UnderPolicy {
  return { policyId, policyVersion: version, keepsActorId, streamKey };
}

/** A payload parsed here has no other owner, so it need not be copied. */
function asItIs(value: unknown): unknown {
  return value;
}
