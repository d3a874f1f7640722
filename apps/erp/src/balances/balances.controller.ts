import { EntityManager } from '@mikro-orm/postgresql';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { createZodDto, ZodResponse } from 'nestjs-zod';
import { z } from 'zod';
import { BalanceEntity } from './balance.entity.js';

export class BalanceQueryDto extends createZodDto(z.strictObject({ tenantId: z.guid() })) {}

export class BalanceDto extends createZodDto(
  z.object({ tenantId: z.guid(), balanceCents: z.int(), postings: z.int() }),
) {}

@ApiTags('balances')
@Controller('balances')
export class BalancesController {
  constructor(private readonly em: EntityManager) {}

  @Get()
  @ZodResponse({ status: 200, type: BalanceDto })
  async get(@Query() { tenantId }: BalanceQueryDto): Promise<BalanceDto> {
    const balance = await this.em.fork().findOne(BalanceEntity, { tenantId });
    return { tenantId, balanceCents: balance?.balanceCents ?? 0, postings: balance?.postings ?? 0 };
  }
}
