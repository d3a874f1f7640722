import { problems } from '@kernel/http';
import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { ErpSettings } from '../settings/erp-settings.js';
import {
  CreateInvoiceDto,
  InvoiceDto,
  InvoiceListDto,
  InvoiceParamsDto,
  ListInvoicesDto,
  PostInvoiceDto,
  toInvoiceDto,
  UpdateInvoiceDto,
} from './invoice.dto.js';
import { InvoicesService } from './invoices.service.js';

@ApiTags('invoices')
@Controller('invoices')
export class InvoicesController {
  constructor(
    private readonly invoices: InvoicesService,
    private readonly settings: ErpSettings,
  ) {}

  @Post()
  @ZodResponse({ status: 201, type: InvoiceDto })
  async create(@Body() body: CreateInvoiceDto): Promise<InvoiceDto> {
    if (body.simulateFailure !== undefined && !this.settings.isDemo) {
      throw problems.invalid('simulateFailure', 'unknown field; it exists in demo mode only');
    }
    return toInvoiceDto(await this.invoices.create(body));
  }

  @Patch(':id')
  @ZodResponse({ status: 200, type: InvoiceDto })
  async update(@Param() { id }: InvoiceParamsDto, @Body() body: UpdateInvoiceDto): Promise<InvoiceDto> {
    return toInvoiceDto(await this.invoices.update(id, body));
  }

  @Post(':id/post')
  @HttpCode(200)
  @ZodResponse({ status: 200, type: InvoiceDto })
  async post(@Param() { id }: InvoiceParamsDto, @Body() _body: PostInvoiceDto): Promise<InvoiceDto> {
    return toInvoiceDto(await this.invoices.post(id));
  }

  @Get()
  @ZodResponse({ status: 200, type: InvoiceListDto })
  async list(@Query() query: ListInvoicesDto): Promise<InvoiceListDto> {
    const found = await this.invoices.list(query);
    const items = found.slice(0, query.limit).map(toInvoiceDto);
    return { items, nextCursor: found.length > items.length ? items.at(-1)!.invoiceId : null };
  }
}
