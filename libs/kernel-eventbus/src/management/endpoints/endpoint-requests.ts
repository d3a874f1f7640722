import { Injectable } from '@nestjs/common';
import { type Caller, refuseInternal, refuseMoving, tenantOf } from '../../access/caller.js';
import type { WebhookEndpointRow } from '../../endpoints/webhook-endpoint.entity.js';
import { EndpointDestinationCheck, type EndpointPlace } from './endpoint-destination-check.js';
import { type EndpointDetails, toEndpointDetails } from './endpoint-details.js';
import { EndpointEditor, type SavedEndpoint } from './endpoint-editor.js';
import type { EndpointChanges, NewEndpoint } from './endpoint-input.js';
import { EndpointReader, unknownEndpoint } from './endpoint-reader.js';
import { isUrlSetByOperator } from './url-set-by-operator.js';

/** An endpoint that was just saved, with the verification material for the receiver if this request created it. */
export interface EndpointWithSecret extends EndpointDetails {
  /** Of `v1`: the signing secret, `whsec_...`; shown this once. */
  secret?: string;
  /** Of `v1a`: what the receiver verifies with, `whpk_...`. */
  publicKey?: string;
  signingSecretVersion?: number;
}

/** Valid requests to create and change endpoints: checks what the caller may do and where the endpoint leads. */
@Injectable()
export class EndpointRequests {
  constructor(
    private readonly reader: EndpointReader,
    private readonly editor: EndpointEditor,
    private readonly destinationCheck: EndpointDestinationCheck,
  ) {}

  async create(caller: Caller, wanted: NewEndpoint): Promise<EndpointWithSecret> {
    tenantOf(caller, wanted.tenantId);
    refuseInternal(caller, wanted.isExternal);
    await this.destinationCheck.vet({ ...wanted, urlSetByOperator: isUrlSetByOperator(caller, wanted) }, wanted);
    return toShown(await this.editor.create(caller, wanted));
  }

  async update(caller: Caller, endpointId: string, changes: EndpointChanges): Promise<EndpointWithSecret> {
    const endpoint = await this.reader.find(caller, endpointId, changes);
    refuseInternal(caller, changes.isExternal);
    if (changes.url !== undefined && changes.url !== endpoint.url) {
      // Refused before any lookup for a caller that may not move the endpoint.
      refuseMoving(caller, endpoint, { url: changes.url });
    }
    await this.destinationCheck.vet(movedPlace(caller, endpoint, changes), changes);
    return toShown((await this.editor.update(caller, endpoint, changes)) ?? unknownEndpoint());
  }

  /** No effect on an endpoint that was deleted before. */
  async remove(caller: Caller, endpointId: string): Promise<void> {
    await this.editor.remove(caller, await this.reader.findEvenDeleted(caller, endpointId));
  }
}

function toShown({ row, shown }: SavedEndpoint): EndpointWithSecret {
  return { ...toEndpointDetails(row), ...shown };
}

function movedPlace(caller: Caller, before: WebhookEndpointRow, changes: EndpointChanges): EndpointPlace {
  const { tenantId, url, dispatcher } = before;
  return {
    tenantId,
    url: changes.url ?? url,
    urlSetByOperator: isUrlSetByOperator(caller, changes, before),
    dispatcher: changes.dispatcher === undefined ? (dispatcher ?? null) : changes.dispatcher,
  };
}
