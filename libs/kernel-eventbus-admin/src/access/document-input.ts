import { ApiBody, ApiParam, type ApiParamOptions, ApiQuery } from '@nestjs/swagger';
import type { ZodDto } from 'nestjs-zod';
import type { z } from 'zod';

/** The input of a handler: each part with the DTO that validates it. */
export interface DeclaredInput {
  params?: ZodDto;
  query?: ZodDto;
  body?: ZodDto;
}

type Properties = Record<string, Record<string, unknown>>;

/** Describes a handler's input in the OpenAPI document, as Swagger does for Nest's own decorators. */
export function documentInput({ params, query, body }: DeclaredInput, prototype: object, name: string, value: object) {
  const descriptor = { value };
  const apply = (decorator: MethodDecorator) => decorator(prototype, name, descriptor);
  for (const options of propertiesOf(params)) {
    apply(ApiParam(options));
  }
  for (const options of propertiesOf(query)) {
    apply(ApiQuery(options));
  }
  if (body) {
    const required = !(body.schema as z.ZodType).safeParse(undefined).success;
    apply(ApiBody({ type: body, required }));
  }
}

function propertiesOf(dto: ZodDto | undefined): ApiParamOptions[] {
  const properties = (dto?._OPENAPI_METADATA_FACTORY() ?? {}) as Properties;
  return Object.entries(properties).map(([name, { enum: values, ...property }]) => {
    // `ApiQuery` drops the default of an enum unless it gets the schema.
    const schema = values ? { schema: { default: property.default, type: property.type, enum: values } } : {};
    return { ...property, ...schema, name };
  });
}
