import { ProblemException } from '@kernel/http';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import {
  SendChallengeDto,
  SignatureParamsDto,
  SignatureRequestDto,
  toSignatureRequestDto,
} from '../signing/signature-request.dto.js';
import { SendChallenge } from './send-challenge.js';

@ApiTags('signature requests')
@Controller('signature-requests/:id/challenge')
export class ChallengesController {
  constructor(private readonly sendChallenge: SendChallenge) {}

  @Post()
  @HttpCode(200)
  @ZodResponse({ status: 200, type: SignatureRequestDto })
  async send(@Param() { id }: SignatureParamsDto, @Body() _body: SendChallengeDto): Promise<SignatureRequestDto> {
    const { sending, request } = await this.sendChallenge.execute(id);
    switch (sending) {
      case 'sent':
        return toSignatureRequestDto(request);
      case 'failed':
        throw new ProblemException({
          code: 'provider-failed',
          status: 502,
          detail: 'the challenge could not be sent; try again',
        });
      case 'refused':
        throw new ProblemException({
          code: 'provider-unavailable',
          status: 503,
          detail: 'challenges cannot be sent at the moment; try again later',
        });
    }
  }
}
