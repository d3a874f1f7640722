import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import {
  EndpointChanges as EndpointChangesSchema,
  EndpointQuery as EndpointQuerySchema,
  NewEndpoint as NewEndpointSchema,
  Subscriptions,
} from '@kernel/eventbus/engine';
import { WebhookEndpoint } from '@kernel/eventbus';
import { asStored } from './as-stored.js';
import { pageSchema } from '../page-schema.js';
import { TextOrNull } from '../text-or-null.js';
import { shownSecret } from './endpoint-secret.dto.js';

export class NewEndpoint extends createZodDto(NewEndpointSchema) {}

export class EndpointChanges extends createZodDto(EndpointChangesSchema) {}

export class EndpointQuery extends createZodDto(EndpointQuerySchema) {}

const Endpoint = WebhookEndpoint.extend({
  subscriptions: asStored(Subscriptions),
  urlSetByOperator: z.boolean().meta({
    description:
      'false: an admin of the tenant set the url, so that it has to be public and https, whatever is allowed',
  }),
  updatedAt: z.iso.datetime(),
});

const ShownEndpoint = Endpoint.extend({
  circuit: z
    .object({
      state: z.enum(['closed', 'open', 'half-open']),
      until: z.iso.datetime().nullable().meta({ description: 'when the next probe goes out; null: closed' }),
    })
    .meta({ description: 'open: it gets nothing until then; half-open: the next delivery is a probe' }),
});

export class EndpointResponse extends createZodDto(ShownEndpoint) {}

export class EndpointWithSecret extends createZodDto(
  Endpoint.extend({
    ...shownSecret,
    signingSecretVersion: z.number().int().optional().meta({ description: 'of the secret that was made just now' }),
  }),
) {}

export class EndpointPage extends createZodDto(pageSchema(ShownEndpoint)) {}

export class PingResponse extends createZodDto(
  z.object({
    delivered: z.boolean(),
    statusCode: z.number().int().nullable(),
    latencyMs: z.number().int().nullable(),
    errorClass: TextOrNull,
  }),
) {}
