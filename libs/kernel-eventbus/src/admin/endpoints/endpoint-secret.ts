import { kindOf, kindThatSigns, publicKeyTextOf, type SignatureScheme, type StoredSecret } from '@kernel/secrets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { problems } from '../../http/problem.exception.js';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { SecretKeeper } from '../secrets/secret-keeper.js';
import { SecretKinds } from '../secrets/secret-kinds.js';

export interface SigningEndpoint {
  endpointId: string;
  tenantId: string;
  signature: SignatureScheme;
}

/** What a receiver needs of a secret that was made just now: of a key pair the public half, for the other stays here. */
export type ShownSecret = ({ secret: string } | { publicKey: string }) & { signingSecretVersion: number };

export interface ChosenSecret {
  alias: string;
  /** When it was made just now. */
  shown?: ShownSecret;
}

/** Sees to it that an endpoint's alias names a secret that can sign as the endpoint wants it. */
@Injectable()
export class EndpointSecret {
  constructor(
    private readonly kinds: SecretKinds,
    private readonly keeper: SecretKeeper,
  ) {}

  /** The wanted alias, or else a new secret under an alias made from the endpoint's id. */
  async choose(
    principal: AdminPrincipal,
    endpoint: SigningEndpoint,
    wantedAlias: string | undefined,
    em: EntityManager,
  ): Promise<ChosenSecret> {
    if (wantedAlias !== undefined) {
      await this.require(endpoint, wantedAlias, em);
      return { alias: wantedAlias };
    }
    return this.make(principal, endpoint, em);
  }

  /** For an endpoint that signs in another way from now on: the alias it has, where that fits, else its own of that way. */
  async adapt(
    principal: AdminPrincipal,
    endpoint: SigningEndpoint,
    alias: string,
    em: EntityManager,
  ): Promise<ChosenSecret> {
    for (const known of [alias, ownAlias(endpoint)]) {
      if (await this.fits(endpoint, known, em)) {
        return { alias: known };
      }
    }
    return this.make(principal, endpoint, em);
  }

  private async require(endpoint: SigningEndpoint, alias: string, em: EntityManager): Promise<void> {
    if (!(await this.fits(endpoint, alias, em))) {
      throw problems.invalid(
        'signingSecretAlias',
        `this tenant has no such secret that signs ${endpoint.signature}: put it first, or leave it out`,
      );
    }
  }

  private async fits({ tenantId, signature }: SigningEndpoint, alias: string, em: EntityManager): Promise<boolean> {
    return (await this.kinds.find(tenantId, alias, em)) === kindThatSigns(signature);
  }

  private async make(principal: AdminPrincipal, endpoint: SigningEndpoint, em: EntityManager): Promise<ChosenSecret> {
    if (!this.kinds.areInVault) {
      throw problems.invalid(
        'signingSecretAlias',
        'name a secret: here they are kept by the host, so none can be made',
      );
    }
    const secret = { tenantId: endpoint.tenantId, alias: ownAlias(endpoint), kind: kindThatSigns(endpoint.signature) };
    const stored = await this.keeper.keep(principal, secret, em);
    return { alias: stored.alias, shown: showSecret(stored) };
  }
}

export function showSecret({ value, version: signingSecretVersion }: StoredSecret): ShownSecret {
  const shown = kindOf(value) === 'hmac' ? { secret: value.reveal() } : { publicKey: publicKeyTextOf(value) };
  return { ...shown, signingSecretVersion };
}

/** One for each way to sign, for an alias holds one kind of secret. */
function ownAlias({ endpointId, signature }: SigningEndpoint): string {
  return signature === 'v1' ? `endpoint-${endpointId}` : `endpoint-${endpointId}-${signature}`;
}
