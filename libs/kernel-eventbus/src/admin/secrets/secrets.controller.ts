import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Post } from '@nestjs/common';
import { ZodResponse } from 'nestjs-zod';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Principal } from '../access/principal.decorator.js';
import { SecretKeeper } from './secret-keeper.js';
import { NewSigningSecret, StoredSigningSecret } from './secret.dto.js';

@AdminController('secrets')
export class SecretsController {
  constructor(
    private readonly em: EntityManager,
    private readonly keeper: SecretKeeper,
  ) {}

  @Post()
  @ZodResponse({ status: 201, type: StoredSigningSecret })
  async put(@Principal() principal: AdminPrincipal, @Body() body: NewSigningSecret) {
    principal.scopeTo(body.tenantId);
    const { alias, version, value } = await this.em.fork().transactional((em) => this.keeper.keep(principal, body, em));
    return {
      tenantId: body.tenantId,
      alias,
      version,
      ...(body.value === undefined && { value: value.reveal() }),
    };
  }
}
