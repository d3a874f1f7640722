import {
  applyDecorators,
  type CanActivate,
  Controller,
  type Type,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBearerAuth, ApiDefaultResponse, ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { createZodDto, ZodSerializerInterceptor } from 'nestjs-zod';
import { ProblemFilter, Problem } from '@kernel/http';
import { AdminGuard } from './admin-guard.js';
import { bindInput } from './input.js';
import { InputGuard } from './input-guard.js';
import { OpenGuard } from './open-guard.js';

class ProblemDocument extends createZodDto(Problem) {}

/**
 * A controller under `/admin/eventbus` with its own guard, validation and error responses, independent of the host's
 * setup.
 */
export function AdminController(path: string): ClassDecorator {
  return applyDecorators(under(path, AdminGuard), ApiBearerAuth());
}

/** Like `AdminController`, for callers without a token. */
export function OpenAdminController(path: string): ClassDecorator {
  return under(path, OpenGuard);
}

function under(path: string, guard: Type<CanActivate>): ClassDecorator {
  return applyDecorators(
    Controller(`admin/eventbus/${path}`),
    bindInput,
    UseGuards(guard, InputGuard),
    UseInterceptors(ZodSerializerInterceptor),
    UseFilters(ProblemFilter),
    ApiTags(`admin: ${path}`),
    ApiExtraModels(ProblemDocument),
    ApiDefaultResponse({
      description: 'a problem document',
      content: { 'application/problem+json': { schema: { $ref: getSchemaPath(ProblemDocument) } } },
    }),
  );
}
