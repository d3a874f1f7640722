import { Get } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Principal } from '../access/input.js';
import { SessionResponse } from './session.dto.js';

@AdminController('session')
export class SessionController {
  @Get()
  @ApiOperation({ summary: 'Tell whose token this is' })
  @ZodResponse({ status: 200, type: SessionResponse })
  get(@Principal() { role, tenantId, name }: AdminPrincipal) {
    return { role, tenantId: tenantId ?? null, name };
  }
}
