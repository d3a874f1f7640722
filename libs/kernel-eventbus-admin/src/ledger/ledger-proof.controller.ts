import { Readable } from 'node:stream';
import { Get, Header, HttpCode, Post, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { ProblemException } from '@kernel/http';
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
  /**
   * The last export. It reads one piece after the other beside the places for reads: waiting for a place could fail when
   * a part is already sent. It is closed, and its generator has returned, when all is sent or the client is gone.
   */
  #export: Readable | undefined;

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
  export(): StreamableFile {
    if (this.#export && !this.#export.closed) {
      throw exportRuns();
    }
    this.#export = Readable.from(this.exporter.lines());
    return new StreamableFile(this.#export, { type: NDJSON });
  }
}

function exportRuns(): ProblemException {
  const facts = {
    code: 'busy',
    status: 503,
    detail: 'this process sends an export of the ledger already, and one at a time: try again when that one has ended',
  };
  return new ProblemException(facts, { 'retry-after': '60' });
}
