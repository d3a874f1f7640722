import {
  applyDecorators,
  type CanActivate,
  Controller,
  type Type,
  UseFilters,
  UseGuards,
  UseInterceptors,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { ApiBearerAuth, ApiDefaultResponse, ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { createZodDto, ZodSerializerInterceptor } from 'nestjs-zod';
import { ProblemFilter, Problem } from '@kernel/http';
import { configureController, type ControllerOptions } from '@kernel/runtime';
import { AdminGuard } from './admin-guard.js';
import { AnswerInterceptor } from './answer.interceptor.js';
import { bindInput } from './input.js';
import { InputGuard } from './input-guard.js';
import { OpenGuard } from './open-guard.js';

export const DEFAULT_PATH = '/admin/eventbus';
const PATH_BELOW = Symbol('path below the admin API');

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

/** The controller below another path than `/admin/eventbus`. */
export function moveController(controller: Type, { path, decorators }: ControllerOptions): Type {
  const below = Reflect.getMetadata(PATH_BELOW, controller) as string;
  return configureController(controller, { path: `${path}/${below}`, decorators });
}

function under(path: string, guard: Type<CanActivate>): ClassDecorator {
  return applyDecorators(
    Controller({ path: `${DEFAULT_PATH}/${path}`, version: VERSION_NEUTRAL }),
    (controller: object) => Reflect.defineMetadata(PATH_BELOW, path, controller),
    bindInput,
    UseGuards(guard, InputGuard),
    UseInterceptors(AnswerInterceptor, ZodSerializerInterceptor),
    UseFilters(ProblemFilter),
    ApiTags(`admin: ${path}`),
    ApiExtraModels(ProblemDocument),
    ApiDefaultResponse({
      description: 'a problem document',
      content: { 'application/problem+json': { schema: { $ref: getSchemaPath(ProblemDocument) } } },
    }),
  );
}
