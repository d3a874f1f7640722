import { Readable } from 'node:stream';
import { Get, Header, HttpCode, Post, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { LedgerExporter, RequestedVerifier } from '@kernel/ledger';
import { AdminController } from '../access/admin-controller.js';
import { OnlyRole } from '../access/admin-guard.js';
import { Body } from '../access/input.js';
import { VerificationResponse, VerificationRequest } from './verification.dto.js';

const NDJSON = 'application/x-ndjson';

/** The whole ledger, over all tenants; operators only. */
@AdminController('audit')
@OnlyRole('operator')
export class LedgerProofController {
  constructor(
    private readonly verifier: RequestedVerifier,
    private readonly exporter: LedgerExporter,
  ) {}

  @Post('verify')
  @ApiOperation({ summary: 'Verify that the ledger is as it was sealed' })
  @HttpCode(200)
  @ZodResponse({ status: 200, type: VerificationResponse })
  verify(@Body() { anchor }: VerificationRequest) {
    return this.verifier.verify(anchor);
  }

  @Get('export')
  @ApiOperation({ summary: 'Export the ledger with its seals' })
  @Header('content-disposition', 'attachment; filename="ledger.ndjson"')
  @ApiOkResponse({
    description: 'one JSON document per line, sealed entries with their seals',
    content: { [NDJSON]: { schema: { type: 'string' } } },
  })
  export(): StreamableFile {
    return new StreamableFile(Readable.from(this.exporter.lines()), { type: NDJSON });
  }
}
