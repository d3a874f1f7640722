import { Delete, Get, HttpCode, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { problems } from '@kernel/http';
import { AdminController } from '../access/admin-controller.js';
import { OnlyRole } from '../access/admin-guard.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, Params, Principal, Query } from '../access/input.js';
import { IdParams } from '../request-fields.js';
import { AdminTokenEntity, TenantScope, encodeCursor, IdCursor, toPage } from '@kernel/eventbus/engine';
import { TokenIssuer } from './token-issuer.js';
import { CreatedToken, NewToken, TokenPage, TokenQuery, toTokenResponse } from './token.dto.js';

@AdminController('tokens')
@OnlyRole('operator')
export class TokensController {
  constructor(
    private readonly scope: TenantScope,
    private readonly issuer: TokenIssuer,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create a token' })
  @ZodResponse({ status: 201, type: CreatedToken })
  async create(@Principal() principal: AdminPrincipal, @Body() body: NewToken) {
    const { row, token } = await this.issuer.issue(principal, body);
    return { ...toTokenResponse(row), token };
  }

  @Get()
  @ApiOperation({ summary: 'List tokens, newest first' })
  @ZodResponse({ status: 200, type: TokenPage })
  async list(@Principal() principal: AdminPrincipal, @Query() { limit, cursor }: TokenQuery) {
    const before = IdCursor.position(cursor);
    const rows = await this.scope.read(principal, (em) =>
      em.find(AdminTokenEntity, before ? { tokenId: { $lt: before } } : {}, {
        filters: false,
        orderBy: { tokenId: 'desc' },
        limit: limit + 1,
      }),
    );
    return toPage(rows, limit, { toItem: toTokenResponse, toCursor: ({ tokenId }) => encodeCursor(tokenId) });
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Revoke a token' })
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'the token is refused from now on; also when it was revoked before' })
  async revoke(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams) {
    if (!(await this.issuer.revoke(principal, id))) {
      throw problems.notFound('token');
    }
  }
}
