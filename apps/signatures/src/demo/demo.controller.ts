import { problems } from '@kernel/http';
import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { createZodDto, ZodResponse } from 'nestjs-zod';
import { z } from 'zod';
import { SignatureParamsDto } from '../signing/signature-request.dto.js';
import { DemoProvider } from './demo-provider.js';

export class ProviderStateDto extends createZodDto(z.strictObject({ isDown: z.boolean() })) {}

export class CodeDto extends createZodDto(z.object({ code: z.string() })) {}

/** The customer's phone, and the switch that makes the gateway fail. */
@ApiTags('demo')
@Controller('demo')
export class DemoController {
  constructor(private readonly provider: DemoProvider) {}

  @Get('codes/:id')
  @ZodResponse({ status: 200, type: CodeDto })
  code(@Param() { id }: SignatureParamsDto): CodeDto {
    const code = this.provider.codeOf(id.toLowerCase());
    if (code === undefined) {
      throw problems.notFound('code');
    }
    return { code };
  }

  @Put('provider')
  @ZodResponse({ status: 200, type: ProviderStateDto })
  switch(@Body() { isDown }: ProviderStateDto): ProviderStateDto {
    this.provider.isDown = isDown;
    return { isDown };
  }
}
