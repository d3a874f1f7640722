import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { cleanupOpenApiDoc } from 'nestjs-zod';

/** Serves `/docs` and `/docs-json`. */
export function serveOpenApi(app: INestApplication): void {
  const outline = new DocumentBuilder()
    .setTitle('Tenants')
    .setDescription('Tenants whose governance changes are published, and the administration of the event bus')
    .setVersion('0.1.0')
    // Its default would say that tokens are JWTs; they are opaque.
    .addSecurity('bearer', { type: 'http', scheme: 'bearer' })
    .build();
  SwaggerModule.setup('docs', app, () => cleanupOpenApiDoc(SwaggerModule.createDocument(app, outline)));
}
