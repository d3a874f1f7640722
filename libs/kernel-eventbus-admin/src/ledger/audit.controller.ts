import { Get } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { LedgerReader } from '@kernel/eventbus';
import { PAGE_BYTES_NOTE, SEARCH_NOTE } from '@kernel/eventbus/engine';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Principal, Query } from '../access/input.js';
import { AuditPage, AuditQuery } from './audit.dto.js';

@AdminController('audit')
export class AuditController {
  constructor(private readonly ledger: LedgerReader) {}

  @Get()
  @ApiOperation({
    summary: 'List entries of the ledger, newest first',
    description: `${SEARCH_NOTE}; ${PAGE_BYTES_NOTE}`,
  })
  @ZodResponse({ status: 200, type: AuditPage })
  list(@Principal() principal: AdminPrincipal, @Query() query: AuditQuery) {
    principal.scopeTo(query.tenantId);
    return this.ledger.search(principal.caller, query);
  }
}
