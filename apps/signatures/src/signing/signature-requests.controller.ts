import { OutboxRepository } from '@kernel/eventbus';
import { ProblemException } from '@kernel/http';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { AbortSignature } from './abort-signature.js';
import { CompleteSignature } from './complete-signature.js';
import {
  AbortSignatureDto,
  CompleteSignatureDto,
  HistoryDto,
  SignatureParamsDto,
  SignatureRequestDto,
  StartSignatureDto,
  toHistoryDto,
  toSignatureRequestDto,
} from './signature-request.dto.js';
import { SignatureRequests } from './signature-requests.js';
import { StartSignature } from './start-signature.js';

@ApiTags('signature requests')
@Controller('signature-requests')
export class SignatureRequestsController {
  constructor(
    private readonly startSignature: StartSignature,
    private readonly completeSignature: CompleteSignature,
    private readonly abortSignature: AbortSignature,
    private readonly requests: SignatureRequests,
    private readonly outbox: OutboxRepository,
  ) {}

  @Post()
  @ZodResponse({ status: 201, type: SignatureRequestDto })
  async start(@Body() body: StartSignatureDto): Promise<SignatureRequestDto> {
    return toSignatureRequestDto(await this.startSignature.execute(body));
  }

  @Get(':id')
  @ZodResponse({ status: 200, type: SignatureRequestDto })
  async read(@Param() { id }: SignatureParamsDto): Promise<SignatureRequestDto> {
    return toSignatureRequestDto(await this.requests.find(id));
  }

  /** Every event of the request, for an auditor. */
  @Get(':id/history')
  @ZodResponse({ status: 200, type: HistoryDto })
  async history(@Param() { id }: SignatureParamsDto): Promise<HistoryDto> {
    const { tenantId, signatureRequestId: aggregateId } = (await this.requests.find(id)).state;
    return toHistoryDto(
      await this.outbox.findByAggregate({ tenantId, aggregateId, aggregateType: 'SignatureRequest' }),
    );
  }

  @Post(':id/complete')
  @HttpCode(200)
  @ZodResponse({ status: 200, type: SignatureRequestDto })
  async complete(
    @Param() { id }: SignatureParamsDto,
    @Body() { code }: CompleteSignatureDto,
  ): Promise<SignatureRequestDto> {
    const { answered, answersLeft, request } = await this.completeSignature.execute(id, code);
    if (answered === 'completed') {
      return toSignatureRequestDto(request);
    }
    const rest = answered === 'aborted' ? 'the request is aborted' : `answers left: ${answersLeft}`;
    throw new ProblemException({ code: 'challenge-failed', status: 422, detail: `the code is wrong; ${rest}` });
  }

  @Post(':id/abort')
  @HttpCode(200)
  @ZodResponse({ status: 200, type: SignatureRequestDto })
  async abort(
    @Param() { id }: SignatureParamsDto,
    @Body() { reason }: AbortSignatureDto,
  ): Promise<SignatureRequestDto> {
    return toSignatureRequestDto(await this.abortSignature.execute(id, reason));
  }
}
