import { Delete, HttpCode, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { problems } from '@kernel/http';
import { TenantScope, SecretKeeper, SecretKinds } from '@kernel/eventbus/engine';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, Params, Principal, Query } from '../access/input.js';
import { NewSecretVersion, SecretOwnerQuery, SecretVersionParams, StoredSecretVersion } from './secret.dto.js';

@AdminController('secrets')
export class SecretsController {
  constructor(
    private readonly scope: TenantScope,
    private readonly keeper: SecretKeeper,
    private readonly kinds: SecretKinds,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Put the next version of a secret' })
  @ZodResponse({ status: 201, type: StoredSecretVersion })
  async put(@Principal() principal: AdminPrincipal, @Body() body: NewSecretVersion) {
    principal.scopeTo(body.tenantId);
    this.kinds.requireVault('put this one');
    const { alias, version, value } = await this.scope.write(principal, (em) => this.keeper.keep(principal, body, em));
    return {
      tenantId: body.tenantId,
      alias,
      version,
      ...(body.value === undefined && { value: value.reveal() }),
    };
  }

  @Delete(':alias/versions/:version')
  @ApiOperation({ summary: 'Revoke a version of a secret' })
  @HttpCode(204)
  @ApiNoContentResponse({
    description: 'from now on nothing is signed or sent with it; also when it was revoked before',
  })
  async revoke(
    @Principal() principal: AdminPrincipal,
    @Params() { alias, version }: SecretVersionParams,
    @Query() { tenantId }: SecretOwnerQuery,
  ) {
    const owner = principal.scopeTo(tenantId);
    this.kinds.requireVault('revoke this one');
    if (!(await this.keeper.revoke(principal, { tenantId: owner, alias, version: Number(version) }))) {
      throw problems.notFound('version of a secret');
    }
  }
}
