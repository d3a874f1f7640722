import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { refusals } from '../../eventbus.refusals.js';
import type { EndpointHeaders } from '../../endpoints/webhook-endpoint.entity.js';
import { SecretKinds } from '../secrets/secret-kinds.js';
import { vetHeader } from './vet-header.js';

const MAX_HEADERS = 20;

/** Refuses headers that would override the engine's own, split a request, or hold a credential in plain text. */
@Injectable()
export class EndpointHeaderCheck {
  constructor(private readonly kinds: SecretKinds) {}

  /** Returns the headers as stored: in lower case, because header names are case-insensitive. */
  async vet(tenantId: string, headers: EndpointHeaders, em: EntityManager): Promise<EndpointHeaders> {
    const errors: { path: string; message: string }[] = [];
    const names = Object.keys(headers);
    if (names.length > MAX_HEADERS) {
      throw refusals.invalid('headers', `an endpoint has at most ${MAX_HEADERS} headers`);
    }
    for (const [name, value] of Object.entries(headers)) {
      const path = `headers.${name}`;
      const message = vetHeader(name, value);
      if (message !== undefined) {
        errors.push({ path, message });
      } else if (names.some((other) => other !== name && other.toLowerCase() === name.toLowerCase())) {
        errors.push({ path, message: 'this header is given twice: names that differ only in case are the same' });
      } else if (
        typeof value !== 'string' &&
        (await this.kinds.find(tenantId, value.secretAlias, em)) !== 'credential'
      ) {
        errors.push({
          path: `${path}.secretAlias`,
          message: `this tenant has no such credential: put it ${this.kinds.areInVault ? 'with POST /secrets' : 'where the host keeps them'} first; a secret that signs is none`,
        });
      }
    }
    if (errors.length > 0) {
      throw refusals.invalidFields(errors);
    }
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  }
}
