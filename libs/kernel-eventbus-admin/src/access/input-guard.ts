import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type ZodDto, ZodValidationException } from 'nestjs-zod';
import type { z } from 'zod';
import { EventBusConfig } from '@kernel/eventbus/engine';
import { problems } from '@kernel/http';
import { refuseLargeDecodedBody } from './body-limit.js';
import type { DeclaredInput } from './document-input.js';
import { declaredInput, exchangeOf, type Input, keepInput } from './input.js';
import { readBody } from './read-body.js';
import { readQuery } from './read-query.js';
import { vetBody } from './vet-body.js';

/**
 * Reads and validates the input of a route. It is a guard because guards run before the host's interceptors and pipes,
 * which may change the request.
 */
@Injectable()
export class InputGuard implements CanActivate {
  constructor(private readonly config: EventBusConfig) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const exchange = exchangeOf(context);
    const declared = declaredInput(context.getHandler());
    const given = { body: await readBody(exchange), query: readQuery(exchange.url), params: exchange.params };
    refuseUndeclared(given, declared);
    vetBody(given.body, this.config);
    refuseLargeDecodedBody(exchange, given.body);
    const input: Input = {};
    for (const source of ['body', 'query', 'params'] as const) {
      const dto = declared[source];
      if (dto) {
        input[source] = validate(dto, given[source]);
      }
    }
    keepInput(exchange, input);
    return true;
  }
}

/** Refuses undeclared input: `DELETE ...?dryRun=true` must not delete on a route that has no `dryRun`. */
function refuseUndeclared({ query, body }: { query: object; body: unknown }, declared: DeclaredInput): void {
  const [parameter] = Object.keys(query);
  if (parameter !== undefined && !declared.query) {
    throw problems.invalid(parameter, 'unknown query parameter: this route takes none');
  }
  const [field] = Object.keys(body ?? {});
  if (field !== undefined && !declared.body) {
    throw problems.invalid(field, 'unknown field: this route takes no body');
  }
}

function validate({ schema }: ZodDto, value: unknown): unknown {
  const { success, data, error } = (schema as z.ZodType).safeParse(value);
  if (!success) {
    throw new ZodValidationException(error);
  }
  return data;
}
