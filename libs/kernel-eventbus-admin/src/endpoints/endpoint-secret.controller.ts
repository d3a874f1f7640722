import { Get, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { EndpointService } from '@kernel/eventbus';
import { EndpointRotation } from '@kernel/eventbus/engine';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, Params, Principal } from '../access/input.js';
import { IdParams } from '../request-fields.js';
import { PublicKeys, RotatedEndpointSecret, SecretRotation } from './endpoint-secret.dto.js';

@AdminController('endpoints')
export class EndpointSecretController {
  constructor(
    private readonly endpoints: EndpointService,
    private readonly rotation: EndpointRotation,
  ) {}

  @Post(':id/rotate-secret')
  @ApiOperation({ summary: 'Rotate the signing secret of an endpoint' })
  @ZodResponse({ status: 200, type: RotatedEndpointSecret })
  rotate(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams, @Body() rotation: SecretRotation) {
    return this.endpoints.rotate(principal.caller, id, rotation);
  }

  @Get(':id/public-key')
  @ApiOperation({ summary: 'Show the live public keys of an endpoint' })
  @ZodResponse({ status: 200, type: PublicKeys })
  async publicKey(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams) {
    const keys = (await this.rotation.publicKeys(principal, id)).map((key) => ({
      ...key,
      liveUntil: key.liveUntil?.toISOString() ?? null,
    }));
    return { publicKey: keys[0]?.publicKey ?? null, keys };
  }
}
