import { kindThatSigns, SigningService, type PublicKey } from '@kernel/secrets';
import { Injectable } from '@nestjs/common';
import { HANDLER_DISPATCHER } from '../../endpoints/handler-names.js';
import type { WebhookEndpointRow } from '../../endpoints/webhook-endpoint.entity.js';
import { refusals } from '../../eventbus.refusals.js';
import { WebhookEndpointEntity } from '../../endpoints/webhook-endpoint.entity.js';
import type { Caller } from '../../access/caller.js';
import { TenantScope } from '../../access/tenant-scope.js';
import { asUnavailable } from '../secrets/as-unavailable.js';
import { SecretKeeper } from '../secrets/secret-keeper.js';
import { SecretKinds } from '../secrets/secret-kinds.js';
import type { EndpointWithSecret } from './endpoint-requests.js';
import { showSecret } from './endpoint-secret.js';
import { lockEndpoint } from './lock-endpoint.js';

export interface RotatedEndpointSecret extends Pick<EndpointWithSecret, 'secret' | 'publicKey'> {
  signingSecretAlias: string;
  version: number;
  overlapping: { version: number; liveUntil: string }[];
}

/** Rotates the secret of an endpoint's alias, and lists the public keys of asymmetric ones. */
@Injectable()
export class EndpointRotation {
  constructor(
    private readonly scope: TenantScope,
    private readonly keeper: SecretKeeper,
    private readonly kinds: SecretKinds,
    private readonly signing: SigningService,
  ) {}

  /** Affects every endpoint that signs with the same alias. */
  async rotate(caller: Caller, endpointId: string, overlapSeconds: number): Promise<RotatedEndpointSecret> {
    const found = await this.find(caller, endpointId);
    return this.scope.write(caller, async (em) => {
      const endpoint = requireSigning(await lockEndpoint(em, found));
      this.kinds.requireVault('rotate this one');
      const { tenantId, signingSecretAlias: alias, signature } = endpoint;
      const secret = { tenantId, alias, kind: kindThatSigns(signature), overlapSeconds };
      const rotated = await this.keeper.rotate(caller, secret, em);
      return {
        signingSecretAlias: alias,
        version: rotated.version,
        ...showSecret(rotated),
        overlapping: rotated.overlapping.map(({ version, liveUntil }) => ({
          version,
          liveUntil: liveUntil.toISOString(),
        })),
      };
    });
  }

  async publicKeys(caller: Caller, endpointId: string): Promise<PublicKey[]> {
    const endpoint = await this.find(caller, endpointId);
    if (endpoint.signature !== 'v1a') {
      throw refusals.conflict(
        "this endpoint signs 'v1' with a secret that it shares with its receiver, so it has no public key",
      );
    }
    const { tenantId, signingSecretAlias: alias } = endpoint;
    return this.scope.hold(caller, () => this.signing.publicKeys(tenantId, alias).catch(asUnavailable));
  }

  private async find(caller: Caller, endpointId: string): Promise<WebhookEndpointRow> {
    const filter = { endpointId, deletedAt: null };
    return requireSigning(
      await this.scope.read(caller, (em) => em.findOne(WebhookEndpointEntity, filter, { filters: false })),
    );
  }
}

/** Application handlers are endpoints only inside the engine, and nothing is signed for them. */
function requireSigning(endpoint: WebhookEndpointRow | null | undefined): WebhookEndpointRow {
  if (!endpoint || endpoint.dispatcher === HANDLER_DISPATCHER) {
    throw refusals.notFound('endpoint');
  }
  return endpoint;
}
