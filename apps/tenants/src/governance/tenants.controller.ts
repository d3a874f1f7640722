import { Body, Controller, Get, Param, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { ChangeGovernanceDto, CreateTenantDto, TenantDto, TenantParamsDto, toTenantDto } from './tenant.dto.js';
import { TenantsService } from './tenants.service.js';

@ApiTags('tenants')
@Controller('tenants')
export class TenantsController {
  constructor(private readonly tenants: TenantsService) {}

  @Post()
  @ZodResponse({ status: 201, type: TenantDto })
  async create(@Body() body: CreateTenantDto): Promise<TenantDto> {
    return toTenantDto(await this.tenants.create(body));
  }

  @Get(':id')
  @ZodResponse({ status: 200, type: TenantDto })
  async read(@Param() { id }: TenantParamsDto): Promise<TenantDto> {
    return toTenantDto(await this.tenants.find(id));
  }

  @Patch(':id/governance')
  @ZodResponse({ status: 200, type: TenantDto })
  async change(@Param() { id }: TenantParamsDto, @Body() changes: ChangeGovernanceDto): Promise<TenantDto> {
    return toTenantDto(await this.tenants.change(id, changes));
  }
}
