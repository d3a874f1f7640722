import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { SecretRotation as SecretRotationSchema } from '@kernel/eventbus/engine';
import { TextOrNull } from '../text-or-null.js';

/** Verification material for the receiver, if this request created it. */
export const shownSecret = {
  secret: z.string().optional().meta({ description: 'of v1: the signing secret, whsec_...; shown this once' }),
  publicKey: z.string().optional().meta({ description: 'of v1a: what the receiver verifies with, whpk_...' }),
};

const LiveUntil = z.iso.datetime().meta({ description: 'until then it signs beside the newer ones' });

export class SecretRotation extends createZodDto(SecretRotationSchema) {}

export class RotatedEndpointSecret extends createZodDto(
  z.object({
    signingSecretAlias: z.string(),
    version: z.number().int(),
    ...shownSecret,
    overlapping: z.array(z.object({ version: z.number().int(), liveUntil: LiveUntil })),
  }),
) {}

export class PublicKeys extends createZodDto(
  z.object({
    publicKey: TextOrNull.meta({ description: 'the newest; null while none is live' }),
    keys: z.array(z.object({ version: z.number().int(), publicKey: z.string(), liveUntil: LiveUntil.nullable() })),
  }),
) {}
