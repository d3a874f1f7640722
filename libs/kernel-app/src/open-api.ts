import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { cleanupOpenApiDoc } from 'nestjs-zod';

/** Serves `/docs` and `/docs-json`. */
export function serveOpenApi(app: INestApplication, about: { title: string; description: string }): void {
  const outline = new DocumentBuilder()
    .setTitle(about.title)
    .setDescription(about.description)
    .setVersion('0.1.0')
    // The default would describe tokens as JWTs; they are opaque.
    .addSecurity('bearer', { type: 'http', scheme: 'bearer' })
    .build();
  SwaggerModule.setup('docs', app, () => cleanupOpenApiDoc(SwaggerModule.createDocument(app, outline)));
}
