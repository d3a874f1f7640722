import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Catalogue, type ItemCollection } from './catalogue.js';

@ApiTags('catalogue')
@Controller('catalogue')
export class CatalogueController {
  constructor(private readonly catalogue: Catalogue) {}

  @Get()
  read(): Promise<ItemCollection> {
    return this.catalogue.read();
  }
}
