import { kindOf, kindThatSigns, publicKeyTextOf, type SignatureScheme, type StoredSecret } from '@kernel/secrets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { refusals } from '../../eventbus.refusals.js';
import type { Caller } from '../../access/caller.js';
import { SecretKeeper } from '../secrets/secret-keeper.js';
import { SecretKinds } from '../secrets/secret-kinds.js';

export interface SigningEndpoint {
  endpointId: string;
  tenantId: string;
  signature: SignatureScheme;
}

/**
 * The part of a new secret that the receiver needs. For a key pair that is the public key; the private key is never
 * shown.
 */
export type ShownSecret = ({ secret: string } | { publicKey: string }) & { signingSecretVersion: number };

export interface ChosenSecret {
  alias: string;
  /** Set if the secret was just created. */
  shown?: ShownSecret;
}

/** Ensures that an endpoint's alias names a secret that fits its signature scheme. */
@Injectable()
export class EndpointSecret {
  constructor(
    private readonly kinds: SecretKinds,
    private readonly keeper: SecretKeeper,
  ) {}

  /** The requested alias, or a new secret under an alias derived from the endpoint's id. */
  async choose(
    caller: Caller,
    endpoint: SigningEndpoint,
    wantedAlias: string | undefined,
    em: EntityManager,
  ): Promise<ChosenSecret> {
    if (wantedAlias !== undefined) {
      await this.require(endpoint, wantedAlias, em);
      return { alias: wantedAlias };
    }
    return this.make(caller, endpoint, em);
  }

  /**
   * For a changed signature scheme: keeps the current alias if it fits, else uses the endpoint's own alias for that
   * scheme.
   */
  async adapt(caller: Caller, endpoint: SigningEndpoint, alias: string, em: EntityManager): Promise<ChosenSecret> {
    for (const known of [alias, ownAlias(endpoint)]) {
      if (await this.fits(endpoint, known, em)) {
        return { alias: known };
      }
    }
    return this.make(caller, endpoint, em);
  }

  private async require(endpoint: SigningEndpoint, alias: string, em: EntityManager): Promise<void> {
    if (!(await this.fits(endpoint, alias, em))) {
      throw refusals.invalid(
        'signingSecretAlias',
        `this tenant has no such secret that signs ${endpoint.signature}: put it first, or leave it out`,
      );
    }
  }

  private async fits({ tenantId, signature }: SigningEndpoint, alias: string, em: EntityManager): Promise<boolean> {
    return (await this.kinds.find(tenantId, alias, em)) === kindThatSigns(signature);
  }

  private async make(caller: Caller, endpoint: SigningEndpoint, em: EntityManager): Promise<ChosenSecret> {
    if (!this.kinds.areInVault) {
      throw refusals.invalid(
        'signingSecretAlias',
        'name a secret: here they are kept by the host, so none can be made',
      );
    }
    const secret = { tenantId: endpoint.tenantId, alias: ownAlias(endpoint), kind: kindThatSigns(endpoint.signature) };
    const stored = await this.keeper.keep(caller, secret, em);
    return { alias: stored.alias, shown: showSecret(stored) };
  }
}

export function showSecret({ value, version: signingSecretVersion }: StoredSecret): ShownSecret {
  const shown = kindOf(value) === 'hmac' ? { secret: value.reveal() } : { publicKey: publicKeyTextOf(value) };
  return { ...shown, signingSecretVersion };
}

/** One alias per scheme, because an alias holds one kind of secret. */
function ownAlias({ endpointId, signature }: SigningEndpoint): string {
  return signature === 'v1' ? `endpoint-${endpointId}` : `endpoint-${endpointId}-${signature}`;
}
