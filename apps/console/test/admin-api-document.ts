import { EventBusAdminModule } from '@kernel/eventbus-admin';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { cleanupOpenApiDoc } from 'nestjs-zod';
import { SETTINGS } from '@kernel/test-support/start-test-erp';
import { ErpModule } from '../../erp/src/erp.module.js';

/**
 * The admin API's part of the ERP app's OpenAPI document. Nest's preview mode creates no providers, so no database is
 * needed.
 */
export async function adminApiDocument(): Promise<OpenAPIObject> {
  const settings = { ...SETTINGS, databaseUrl: 'postgres://nowhere.invalid/none' };
  const app = await NestFactory.create(ErpModule.with(settings), { preview: true, logger: false, abortOnError: false });
  const include = [EventBusAdminModule];
  return cleanupOpenApiDoc(SwaggerModule.createDocument(app, new DocumentBuilder().build(), { include }));
}
