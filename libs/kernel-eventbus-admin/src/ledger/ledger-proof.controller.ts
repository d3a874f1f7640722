import { Readable } from 'node:stream';
import { Get, Header, HttpCode, Post, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { LedgerExporter, RequestedVerifier } from '@kernel/ledger';
import { TenantScope } from '@kernel/eventbus/engine';
import { AdminController } from '../access/admin-controller.js';
import { OnlyRole } from '../access/admin-guard.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, Principal } from '../access/input.js';
import { VerificationResponse, VerificationRequest } from './verification.dto.js';

const NDJSON = 'application/x-ndjson';

/** The whole ledger, over all tenants; operators only. */
@AdminController('audit')
@OnlyRole('operator')
export class LedgerProofController {
  constructor(
    private readonly scope: TenantScope,
    private readonly verifier: RequestedVerifier,
    private readonly exporter: LedgerExporter,
  ) {}

  @Post('verify')
  @ApiOperation({ summary: 'Verify that the ledger is as it was sealed' })
  @HttpCode(200)
  @ZodResponse({ status: 200, type: VerificationResponse })
  verify(@Principal() principal: AdminPrincipal, @Body() { anchor }: VerificationRequest) {
    return this.scope.holdLong(principal, () => this.verifier.verify(anchor));
  }

  @Get('export')
  @ApiOperation({ summary: 'Export the ledger with its seals' })
  @Header('content-disposition', 'attachment; filename="ledger.ndjson"')
  @ApiOkResponse({
    description: 'one JSON document per line, sealed entries with their seals',
    content: { [NDJSON]: { schema: { type: 'string' } } },
  })
  export(@Principal() principal: AdminPrincipal): StreamableFile {
    return new StreamableFile(Readable.from(this.lines(principal)), { type: NDJSON });
  }

  /** Takes a place for each read only: a client that reads slowly holds none. */
  private async *lines(principal: AdminPrincipal): AsyncGenerator<string> {
    const lines = this.exporter.lines();
    for (;;) {
      const piece = await this.scope.hold(principal, () => lines.next());
      if (piece.done) {
        return;
      }
      yield piece.value;
    }
  }
}
