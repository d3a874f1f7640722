import { Module } from '@nestjs/common';
import { CatalogueKeeper } from './catalogue-keeper.js';
import { Catalogue } from './catalogue.js';

@Module({ providers: [CatalogueKeeper, Catalogue], exports: [Catalogue] })
export class CatalogueModule {}
